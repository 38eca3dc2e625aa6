import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

export interface Keys {
  /** Signs tokens; kept, so that a token outlives a restart. */
  signing: JWK;
  /** Signs this provider's own cookies. */
  cookies: string[];
}

/** Reads the keys kept in `directory`, making them the first time. */
export async function loadKeys(directory: string): Promise<Keys> {
  const file = path.join(directory, 'provider-keys.json');
  const kept = await readFile(file, 'utf8').catch(absent);
  if (kept !== undefined) return JSON.parse(kept) as Keys;
  const keys = await newKeys();
  await mkdir(directory, { recursive: true });
  await writeWhole(file, JSON.stringify(keys));
  return keys;
}

async function newKeys(): Promise<Keys> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { signing: { ...jwk, kid, alg: 'RS256', use: 'sig' }, cookies: [randomBytes(32).toString('base64url')] };
}

/** Never leaves half a file: a start killed here would otherwise fail on every later start. */
async function writeWhole(file: string, content: string): Promise<void> {
  const partial = `${file}.${process.pid}`;
  const handle = await open(partial, 'w', 0o600);
  await handle.writeFile(content);
  await handle.sync();
  await handle.close();
  await rename(partial, file);
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
