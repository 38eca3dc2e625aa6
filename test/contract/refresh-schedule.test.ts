import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { reservePort } from '@ops/machine/ports';
import { loadConfig } from '@ops/service-kit/config';
import { generateSecrets } from '../../packages/embedded/src/secrets.ts';
import { composeSystem, type DatabaseUrls } from '../../packages/embedded/src/system.ts';
import { config } from '../../services/renewals-service/src/config.ts';

const before = process.env;
afterEach(() => {
  process.env = before;
});

const url = 'postgres://nobody@127.0.0.1/none';
const databaseUrls: DatabaseUrls = { comms: url, renewals: url, ingest: url, notifier: url, gateway: url };

/** When renewals-service would refresh, as `npm start` tells it and it reads that; nothing is started. */
async function schedule(callers: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { REFRESH_CRON: _, ...others } = before;
  process.env = { ...others, ...callers };
  const settings = { dataDir: '/nonexistent', databaseUrls, secrets: generateSecrets() };
  const log = () => () => {};
  const system = await composeSystem({ ...settings, gatewayPort: await reservePort() }, log, () => {});
  return loadConfig(config, system.specOf('renewals-service').env).REFRESH_CRON;
}

test('npm start refreshes every night at 02:00', async () => {
  expect(await schedule({})).toBe('0 2 * * *');
});

test('npm start with another time keeps to that', async () => {
  expect(await schedule({ REFRESH_CRON: '30 4 * * *' })).toBe('30 4 * * *');
});

test('npm start with the time in a file reads it there', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'ops-test-schedule-'));
  const REFRESH_CRON_FILE = join(directory, 'cron');
  await writeFile(REFRESH_CRON_FILE, '30 4 * * *');
  expect(await schedule({ REFRESH_CRON_FILE }).finally(() => rm(directory, { recursive: true }))).toBe('30 4 * * *');
});

test.each(['', 'off'])(
  'npm start with the time set to %j leaves the refresh to somebody else',
  async (REFRESH_CRON) => {
    expect(await schedule({ REFRESH_CRON })).toBeUndefined();
  },
);
