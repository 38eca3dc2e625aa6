import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { generateSecrets } from '@ops/embedded/secrets';
import { composeSystem, type System } from '@ops/embedded/system';
import { describeEnding } from '@ops/machine/child-process';
import { reservePort } from '@ops/machine/ports';
import { provision } from '@ops/service-kit/provision';
import { trustAuthority } from '@ops/service-kit/tls';
import { type Certificate, makeAuthority } from '@ops/test-kit/certificates';
import { captureLog } from '@ops/test-kit/logs';
import { startPostgresNode } from '@ops/test-kit/postgres-node';
import { startSecureRabbitNode } from '@ops/test-kit/rabbitmq-node';
import { root } from '../images/compose.ts';

/** The five processes, a Postgres and a RabbitMQ, none of which takes anybody without TLS. */
export interface SecureSystem {
  system: System;
  adminUrl: string;
  /** The settings of a process whose certificates are another authority's. */
  elsewhere: Record<'TLS_CA_FILE', string>;
  /** What the command that migrates is told. */
  migration: Record<string, string>;
  stop(): Promise<void>;
}

export async function startSecureSystem(): Promise<SecureSystem> {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-tls-'));
  const authority = await makeAuthority();
  const certificate = await authority.issue('localhost');
  trustAuthority({ TLS_CA: authority.pem });
  const tls = await write(home, certificate);
  const elsewhere = { TLS_CA_FILE: join(home, 'elsewhere.crt') };
  await writeFile(elsewhere.TLS_CA_FILE, (await makeAuthority()).pem);
  const [postgres, rabbitmq] = await Promise.all([
    startPostgresNode('test', certificate),
    startSecureRabbitNode(certificate),
  ]);
  const adminUrl = `${postgres.url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full`;
  const secrets = generateSecrets();
  const crashes: string[] = [];
  const passwords = Object.entries(secrets.database).map(
    ([role, password]) => [`${role.toUpperCase()}_DATABASE_PASSWORD`, password] as const,
  );
  const migration = { DATABASE_URL: adminUrl, TLS_CA_FILE: tls.TLS_CA_FILE, ...Object.fromEntries(passwords) };
  const migrated = await run('packages/deployment/src/migrate-command.ts', migration);
  if (migrated.code !== 0) throw new Error(`migrate: ${migrated.said}`);
  const system = await composeSystem(
    {
      dataDir: home,
      databaseUrls: await provision(adminUrl, secrets.database),
      amqpUrl: rabbitmq.url,
      secrets,
      tls,
      gatewayPort: await reservePort(),
    },
    captureLog,
    ({ name }, ending) => void crashes.push(`${name} ${describeEnding(ending)}`),
  );
  const stop = async () => {
    await system.stop();
    await Promise.all([postgres.stop(), rabbitmq.stop()]);
    await rm(home, { recursive: true, force: true });
    if (crashes.length > 0) throw new Error(crashes.join('; '));
  };
  await system.start().catch(async (error) => {
    await stop().catch(() => undefined);
    throw error;
  });
  return { system, adminUrl, migration, elsewhere, stop };
}

async function write(home: string, { cert, key, authority }: Certificate) {
  const files = { TLS_CA_FILE: 'ca.crt', TLS_CERT_FILE: 'tls.crt', TLS_KEY_FILE: 'tls.key' };
  const named = Object.entries(files).map(([setting, name]) => [setting, join(home, name)]);
  const tls = Object.fromEntries(named) as Record<keyof typeof files, string>;
  await writeFile(tls.TLS_CA_FILE, authority);
  await writeFile(tls.TLS_CERT_FILE, cert);
  await writeFile(tls.TLS_KEY_FILE, key, { mode: 0o600 });
  return tls;
}

/** Until it ends by itself: what it ended with, and all it said. */
export async function run(script: string, env: NodeJS.ProcessEnv, args: readonly string[] = []) {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, out, said: `${out}${errors}` };
}
