import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { reserveGivenPort } from '@ops/machine/ports';
import { brokerChecks } from '@ops/service-kit/doctor/broker';
import { seeSettings } from '@ops/service-kit/doctor/configuration';
import { inSession, serverLine } from '@ops/service-kit/doctor/database';
import { type Check, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import { trustAuthority } from '@ops/service-kit/tls';
import type pg from 'pg';
import { settingsOfAll } from '../deployed.ts';
import { type StartSettings, startSettings } from '../settings.ts';

/** What `npm start` needs of this machine. The launcher has brought the right Node by now. */
export function machineChecks(dataDir: string, running: boolean, timeoutMs: number): Check[] {
  const { lines, config } = seeSettings('npm start', startSettings, process.env, settingsOfAll);
  const told: Check = { name: 'configuration', fix: '', run: async () => lines };
  const always = [told, nodeCheck, directoryCheck(dataDir), spaceCheck(dataDir)];
  if (!config) return always;
  trustAuthority(config);
  const { PORT: port, DATABASE_URL: databaseUrl, AMQP_URL: amqpUrl, BUS_NAMESPACE: busNamespace } = config;
  return [
    ...always,
    ...(running ? [] : [portCheck(port)]),
    ...givenParts({ databaseUrl, amqpUrl, busNamespace }, timeoutMs),
  ];
}

const nodeCheck: Check = {
  name: 'Node',
  fix: '',
  run: async () => [ok('Node', `${process.versions.node}, ${process.platform} ${process.arch}`)],
};

/** The folder itself, or where it would be made. */
function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

const directoryCheck = (dataDir: string): Check => ({
  name: 'data directory',
  fix: `let ${nearest(dataDir)} be a folder this user may write to, or name another as OPS_DATA_DIR`,
  async run() {
    await access(nearest(dataDir), constants.W_OK | constants.X_OK);
    return [ok('data directory', existsSync(dataDir) ? dataDir : `${dataDir}, made by the first start`)];
  },
});

const [scarceMb, tooLittleMb] = [1_024, 256];

const spaceCheck = (dataDir: string): Check => ({
  name: 'disk',
  fix: 'name a folder on a local disk as OPS_DATA_DIR',
  async run() {
    const { bavail, bsize } = await statfs(nearest(dataDir));
    const line = spaceLine(Math.floor((bavail * bsize) / 2 ** 20), dataDir);
    return [line];
  },
});

export function spaceLine(freeMb: number, dataDir: string): Line {
  const said = `${freeMb} MB free for ${dataDir}`;
  const fix = 'make room, or name a folder on another disk as OPS_DATA_DIR';
  if (freeMb < tooLittleMb) return failed('disk', said, fix);
  return freeMb < scarceMb ? warning('disk', said, fix) : ok('disk', said);
}

const portCheck = (port: number): Check => ({
  name: 'port',
  fix: `it is taken, or not for this user: PORT=${port < 1024 ? 8080 : port + 1} npm start, or PORT=0`,
  async run() {
    const held = await reserveGivenPort(port);
    await held.release();
    return [ok('port', port === 0 ? 'any free one' : `${port} is free`)];
  },
});

type GivenParts = Pick<StartSettings, 'databaseUrl' | 'amqpUrl' | 'busNamespace'>;

function givenParts({ databaseUrl, amqpUrl, busNamespace }: GivenParts, timeoutMs: number): Check[] {
  const database = databaseUrl ? [administratorCheck(databaseUrl, timeoutMs)] : [];
  return [...database, ...brokerChecks({ AMQP_URL: amqpUrl, BUS_NAMESPACE: busNamespace }, timeoutMs)];
}

const administratorCheck = (url: string, timeoutMs: number): Check => ({
  name: 'DATABASE_URL',
  fix: 'is Postgres up, and does DATABASE_URL name its host, port and database? Without it npm start brings its own',
  run: () =>
    inSession('DATABASE_URL', url, timeoutMs, async (client) => [
      await serverLine('DATABASE_URL', url, client),
      ...(await missingRights(client)),
    ]),
});

async function missingRights(client: pg.Client): Promise<Line[]> {
  const { rows } = await client.query(
    'SELECT rolsuper OR rolcreaterole AS may FROM pg_roles WHERE rolname = current_user',
  );
  const fix = 'name an administrator of the database: npm start makes a role and a schema for each service';
  return rows[0]?.may ? [] : [failed('DATABASE_URL', 'its role may not make roles', fix)];
}
