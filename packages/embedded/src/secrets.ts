import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keySet, newKeyPair, signers } from '@ops/service-kit/internal-keys';
import { z } from 'zod';

const databaseRoles = ['comms', 'renewals', 'ingest', 'notifier', 'gateway'] as const;

/** What the firm and the simulated providers know each other by. */
const providerSecrets = ['messagingAppToken', 'messagingAppSecret', 'messagingAppVerify', 'sms', 'email'] as const;

const jwk = z.record(z.string(), z.string());
const secretsSchema = z.object({
  /** Of the embedded Postgres' superuser. */
  postgres: z.string(),
  database: z.record(z.enum(databaseRoles), z.string()),
  session: z.string(),
  signInClient: z.string(),
  tokenClient: z.string(),
  keys: z.record(z.enum(signers), z.object({ public: jwk, private: jwk })),
  providers: z.record(z.enum(providerSecrets), z.string()),
});
export type SystemSecrets = z.infer<typeof secretsSchema>;

/** As a data directory may hold them that is older than the simulated providers. */
const keptSchema = secretsSchema.partial({ providers: true });

const secret = () => randomBytes(32).toString('base64url');
const perName = <N extends string, V>(names: readonly N[], make: (name: N) => V) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, V>;

export const generateSecrets = (): SystemSecrets => ({
  postgres: secret(),
  database: perName(databaseRoles, secret),
  session: secret(),
  signInClient: secret(),
  tokenClient: secret(),
  keys: perName(signers, newKeyPair),
  providers: perName(providerSecrets, secret),
});

/** Made once a data directory, readable by its owner only. A damaged file stops the start: new secrets would lock the data out. */
export async function loadSecrets(dataDir: string): Promise<SystemSecrets> {
  const file = join(dataDir, 'secrets.json');
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return keep(file, generateSecrets());
  const { providers, ...kept } = parse(file, text);
  return providers ? { ...kept, providers } : keep(file, { ...kept, providers: perName(providerSecrets, secret) });
}

/** Whole or not at all. */
async function keep(file: string, secrets: SystemSecrets): Promise<SystemSecrets> {
  const partial = `${file}.${process.pid}`;
  await writeFile(partial, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  await rename(partial, file);
  return secrets;
}

function parse(file: string, text: string): z.infer<typeof keptSchema> {
  try {
    return keptSchema.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is damaged: bring it back from a copy, or start on another data directory`);
  }
}

/** Every process's public key, as each of them is told. */
export const publicKeySet = ({ keys }: SystemSecrets): string => keySet(signers.map((name) => keys[name].public));
