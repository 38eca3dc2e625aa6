import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionsBy } from '@ops/service-kit/broker-accounts';
import { keySet, newKeyPair, publicOf, signers } from '@ops/service-kit/internal-keys';
import { schemaOf } from '@ops/service-kit/provision';

const random = () => randomBytes(32).toString('base64url');
const schemas = Object.values(schemaOf);

/**
 * What the gateway seals sessions with, what it, the token command and a cluster's scheduler show to the identity provider,
 * and what opens the dashboards.
 */
const ownSecrets = [
  'session_secret',
  'oidc_client_secret',
  'token_client_secret',
  'scheduler_client_secret',
  'grafana_admin_password',
];

/** Agreed with a provider. Until they are replaced nobody knows them, so nothing that claims to be one gets in. */
const providerSecrets = [
  'messaging_app_access_token',
  'messaging_app_app_secret',
  'messaging_app_verify_token',
  'sms_auth_token',
  'email_mailgun_signing_key',
];

/** As the compose file calls its parts. */
const [databaseHost, brokerHost, smtpUrl] = ['postgres:5432', 'rabbitmq:5672', 'smtp://provider-sim:2525'];

/**
 * Writes what is missing among the secret files of a deployment, one value a file; what is there stays and counts, but
 * for what follows from others. The directory is the owner's alone. The files themselves can be read by whoever they are
 * mounted for, since a container sees a file with the owner it has outside.
 */
export async function writeSecrets(directory: string): Promise<string[]> {
  await mkdir(directory, { recursive: true });
  await chmod(directory, 0o700);
  const made: string[] = [];
  const read = (name: string) => readFile(join(directory, name), 'utf8').then((text) => text.trimEnd(), absent);
  const write = async (name: string, value: string) => {
    // Into the file that is there, if any: a container goes on seeing that one.
    await writeFile(join(directory, name), `${value}\n`);
    await chmod(join(directory, name), 0o644);
    made.push(name);
  };
  await keepAll({
    keep: async (name, make) => {
      const kept = await read(name);
      if (kept !== undefined) return kept;
      const value = make();
      await write(name, value);
      return value;
    },
    follow: async (name, value) => {
      if ((await read(name)) !== value) await write(name, value);
    },
  });
  return made;
}

interface Files {
  /** What is there, else what is made. */
  keep: Keep;
  /** This and nothing else. */
  follow(name: string, value: string): Promise<void>;
}
type Keep = (name: string, make: () => string) => Promise<string>;

async function keepAll({ keep, follow }: Files): Promise<void> {
  for (const name of [...ownSecrets, ...providerSecrets]) await keep(name, random);
  for (const provider of ['postmark', 'sendgrid', 'mime'])
    await keep(`email_${provider}_basic_auth`, () => `${provider}:${random()}`);
  await keep('smtp_url', () => smtpUrl);
  // Nobody is told of alerts until the firm says who.
  await keep('alert_webhook_url', () => '');
  await keepDatabase(keep);
  await keepBrokerAccounts({ keep, follow });
  await keepKeys(keep);
}

/** What each account may do is this version's to say: with one of before a new queue would be refused. */
async function keepBrokerAccounts({ keep, follow }: Files): Promise<void> {
  const definitions = await definitionsBy(async (account) => {
    const password = await keep(`${account}_amqp_password`, random);
    await keep(`${account}_amqp_url`, () => `amqp://${account}:${encodeURIComponent(password)}@${brokerHost}`);
    return password;
  });
  await follow('rabbitmq_definitions.json', JSON.stringify(definitions));
  await keep('rabbitmq_accounts.conf', () => 'load_definitions = /etc/rabbitmq/definitions.json');
}

async function keepDatabase(keep: Keep): Promise<void> {
  const url = (role: string, password: string) =>
    `postgres://${role}:${encodeURIComponent(password)}@${databaseHost}/ops`;
  const administrator = await keep('postgres_password', random);
  await keep('database_url', () => url('postgres', administrator));
  for (const schema of schemas) {
    const password = await keep(`${schema}_database_password`, random);
    await keep(`${schema}_database_url`, () => url(`ops_${schema}`, password));
  }
}

async function keepKeys(keep: Keep): Promise<void> {
  const keys: ReturnType<typeof publicOf>[] = [];
  for (const name of signers) {
    const jwk = await keep(`${name}_internal_private_key`, () => JSON.stringify(newKeyPair(name).private));
    keys.push(publicOf(JSON.parse(jwk)));
  }
  await keep('internal_public_keys', () => keySet(keys));
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
