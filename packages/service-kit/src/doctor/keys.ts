import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { ProcessName } from '@ops/contracts/routes';
import { signers } from '../identity/internal-keys.ts';
import { type Check, failed, type Line, ok } from './finding.ts';

interface Jwk {
  kid: string;
  x?: string;
}

interface InternalKeys {
  INTERNAL_PRIVATE_KEY?: string | undefined;
  /** Not given to the gateway, which verifies nobody's internal identity. */
  INTERNAL_PUBLIC_KEYS?: string | undefined;
}

const again = 'remove secrets/internal_public_keys, npm run secrets, and start every process anew with it';

/** Whether others can believe what this process signs, and it what they sign. */
export const internalKeysCheck = (self: ProcessName, keys: InternalKeys): Check => ({
  name: 'internal keys',
  fix: 'INTERNAL_PRIVATE_KEY is to be an Ed25519 private key as a JSON Web Key: npm run secrets makes one',
  alone: true,
  run: async () => [lineOf(self, keys)],
});

function lineOf(self: string, { INTERNAL_PRIVATE_KEY, INTERNAL_PUBLIC_KEYS }: InternalKeys): Line {
  const own = INTERNAL_PRIVATE_KEY === undefined ? undefined : publicHalf(INTERNAL_PRIVATE_KEY);
  if (own && processOf(own) !== self)
    return failed(
      'internal keys',
      `INTERNAL_PRIVATE_KEY is that of ${processOf(own)}`,
      `give ${self} its own: secrets/${self}_internal_private_key`,
    );
  if (INTERNAL_PUBLIC_KEYS === undefined) return ok('internal keys', `signs as ${own?.kid}`);
  const known: Jwk[] = JSON.parse(INTERNAL_PUBLIC_KEYS).keys;
  const missing = signers.filter((name) => !known.some((key) => processOf(key) === name));
  if (missing.length > 0)
    return failed('internal keys', `INTERNAL_PUBLIC_KEYS lacks the key of ${missing.join(', ')}`, again);
  if (own && !known.some(({ kid, x }) => kid === own.kid && x === own.x))
    return failed('internal keys', 'INTERNAL_PRIVATE_KEY belongs to no key of INTERNAL_PUBLIC_KEYS', again);
  return ok(
    'internal keys',
    own ? `signs as ${own.kid}; believes ${known.length} keys` : `believes ${known.length} keys`,
  );
}

const processOf = ({ kid }: Jwk) => kid.split('#')[0] ?? kid;

/** Computed from the private part: the public part that stands beside it may be another key's. */
function publicHalf(privateJwk: string): Jwk {
  const jwk = JSON.parse(privateJwk);
  const { x } = createPublicKey(createPrivateKey({ key: jwk, format: 'jwk' })).export({ format: 'jwk' });
  return { kid: jwk.kid, ...(x !== undefined && { x }) };
}
