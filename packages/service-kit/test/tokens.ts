import { generateKeyPairSync } from 'node:crypto';
import type { Actor } from '@ops/contracts/roles';
import type { ServiceName } from '@ops/contracts/routes';
import { createIdentitySigner, identityHeader } from '../src/identity/identity.ts';

export interface TestSigner {
  /** What the service under test gets as INTERNAL_PUBLIC_KEYS. */
  publicKeys: string;
  privateKey: string;
  /** The headers of a call by this actor to that service. */
  headers(actor: Actor, audience: ServiceName): Promise<Record<string, string>>;
}

/** Signs internal identities as the process named would, with a key nobody else ever had. */
export function createTestSigner(kid = 'gateway'): TestSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid });
  const sign = createIdentitySigner(jwk);
  return {
    publicKeys: JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid }] }),
    privateKey: jwk,
    headers: async (actor, audience) => ({ [identityHeader]: await sign(actor, audience) }),
  };
}
