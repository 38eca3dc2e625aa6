import { hkdfSync } from 'node:crypto';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';

/** Small facts given to a browser for keeping: it can neither read nor change them, and they end by themselves. */
export interface Sealer {
  seal(purpose: string, facts: JWTPayload, expiresAt: Date): Promise<string>;
  /** Undefined for anything not sealed here for this purpose, or past its end. */
  open(purpose: string, sealed: string): Promise<JWTPayload | undefined>;
}

/** The first secret seals, each of them opens: that is how a secret is replaced without signing everybody out. */
export function createSealer(secrets: readonly string[]): Sealer {
  const keys = secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'gateway cookies', 32)));
  const [current] = keys;
  if (!current) throw new TypeError('a sealer needs a secret');
  return {
    seal: (purpose, facts, expiresAt) =>
      new EncryptJWT(facts)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(purpose)
        .setExpirationTime(expiresAt)
        .encrypt(current),
    async open(purpose, sealed) {
      for (const key of keys) {
        const facts = await unseal(sealed, key, purpose);
        if (facts) return facts;
      }
      return undefined;
    },
  };
}

async function unseal(sealed: string, key: Uint8Array, audience: string): Promise<JWTPayload | undefined> {
  const options = {
    audience,
    requiredClaims: ['exp'],
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  };
  return jwtDecrypt(sealed, key, options).then(
    ({ payload }) => payload,
    () => undefined,
  );
}
