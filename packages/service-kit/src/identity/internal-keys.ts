import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { serviceNames } from '@ops/contracts/routes';

type Jwk = Record<string, string>;

/** Who signs internal tokens: a `kid` is the process's name. */
export const signers = ['gateway', ...serviceNames] as const;

export function newKeyPair(kid: string): { public: Jwk; private: Jwk } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const named = (key: KeyObject) => ({ ...(key.export({ format: 'jwk' }) as Jwk), kid });
  return { public: named(publicKey), private: named(privateKey) };
}

/** The public half of a private key. */
export const publicOf = ({ d: _, ...rest }: Jwk): Jwk => rest;

/** As INTERNAL_PUBLIC_KEYS is given. */
export const keySet = (publicKeys: readonly Jwk[]): string => JSON.stringify({ keys: publicKeys });
