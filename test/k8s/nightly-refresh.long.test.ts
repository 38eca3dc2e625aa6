import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Renewal, RenewalDetail } from '@ops/contracts/resources/renewal';
import { type ApiClient, createClient } from '@ops/contracts/test/http-client';
import { captureLog } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-system/system';
import { whileHeld } from '../chaos/midst.ts';
import { samples } from '../contract/samples.ts';
import { manifestsIn, podsOf } from './kustomize.ts';

const root = join(import.meta.dirname, '..', '..');
/** What the CronJob is told beside its secret, and what it runs. */
const settings = (folder: string) => readFile(join(root, 'k8s', folder, 'nightly-refresh.env'), 'utf8');
const told = parseEnv(`${await settings('base')}\n${await settings('overlays/dev')}`);
const [container] = podsOf(await manifestsIn('base/nightly-refresh.yaml')).flatMap(({ containers }) => containers);
const credential = { id: told.OIDC_CLIENT_ID ?? '', secret: 'a secret of the scheduler' };
const customerId = 'C-nightly';

let system: System;
let staff: ApiClient;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'ops-test-nightly-'));
  const env = {
    SCHEDULER_CLIENT_ID: credential.id,
    SCHEDULER_CLIENT_SECRET: credential.secret,
    REFRESH_CRON: 'off',
    REFRESH_ANSWER_MS: '4000',
  };
  system = await startSystem({ bus: 'postgres', env });
  staff = await system.client('staff');
  await staff.put(`/ops/customers/${customerId}`, { name: 'Demo Customer' });
});
afterAll(async () => {
  await system?.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Night {
  /** What it logged, one object a line. */
  log: Record<string, unknown>[];
  line(message: string): Promise<void>;
  exit: Promise<number>;
}

/** One night, as the cluster runs it: the command of the CronJob, told what its manifest tells it, but for where this system is. */
async function night({ secret = credential.secret, env = {} } = {}): Promise<Night> {
  const file = join(directory, `secret-${Math.random()}`);
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  const here = { GATEWAY_URL: system.gatewayUrl, OIDC_TOKEN_URL: `${system.issuer}/token` };
  const files = Object.fromEntries((container?.env ?? []).map(({ name }) => [name, file]));
  const [program, ...args] = container?.command ?? [];
  expect([program, Object.keys(files)]).toEqual(['node', ['OIDC_CLIENT_SECRET_FILE']]);
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...told, ...here, ...files, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const keep = captureLog('nightly-refresh');
  const log: Record<string, unknown>[] = [];
  let rest = '';
  const take = (chunk: Buffer) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      keep(line);
      log.push(line.startsWith('{') ? JSON.parse(line) : { msg: line });
    }
  };
  const ended = [child.stdout, child.stderr].map((stream) => once(stream.on('data', take), 'end'));
  const exit = Promise.all([once(child, 'exit'), ...ended]).then(([[code]]) => code as number);
  const line = async (message: string) => {
    while (!log.some(({ msg }) => msg === message)) await once(child.stdout, 'data');
  };
  return { log, line, exit };
}

async function createRenewal(inDays: number): Promise<string> {
  const due_date = addDays(new Date().toISOString().slice(0, 10), inDays);
  const answer = await staff.post(`/ops/customers/${customerId}/renewals`, { service_type: 'WORK_PERMIT', due_date });
  return (answer.body as Renewal).id;
}

const rungsOf = async (renewal: string) => {
  const { alerts } = (await staff.get(`/ops/renewals/${renewal}`)).body as RenewalDetail;
  return alerts.filter(({ state }) => state === 'FIRED').map(({ rung }) => rung);
};
const runOf = async ({ log }: Night) => (await staff.get(`/ops/renewals/refresh/${log[0]?.run_id}`)).body;

test('a night alerts of what is due, in its own name, and ends well', async () => {
  const renewal = await createRenewal(29);
  const started = await night();
  expect(await started.exit).toBe(0);
  expect(started.log.at(-1)).toMatchObject({ level: 'info', msg: 'the refresh is completed' });
  expect(await runOf(started)).toMatchObject({ status: 'COMPLETED', started_by: credential.id, counts: { fired: 1 } });
  expect(await rungsOf(renewal)).toEqual(['30']);
});

test('a refresh that takes longer than an answer is followed to its end', async () => {
  const renewal = await createRenewal(13);
  const started = await whileHeld(system, { owner: 'renewals', table: 'renewals', row: { id: renewal } }, async () => {
    const going = await night();
    await going.line('the refresh goes on');
    return going;
  });
  expect(await started.exit).toBe(0);
  expect(started.log.at(-1)).toMatchObject({ msg: 'the refresh is completed' });
  expect(await runOf(started)).toMatchObject({ status: 'COMPLETED', counts: { fired: 1 } });
  expect(await rungsOf(renewal)).toEqual(['14']);
});

test('a night without an answer ends badly, for the cluster to try again', async () => {
  await system.kill('renewals-service');
  const { exit, log } = await night();
  expect(await exit).toBe(1);
  expect(log).toEqual([
    expect.objectContaining({
      level: 'fatal',
      err: expect.objectContaining({ message: expect.stringContaining('503') }),
    }),
  ]);
  await system.restart('renewals-service');
  expect(await (await night()).exit).toBe(0);
});

test('a wrong secret ends badly, and the secret is not in the log', async () => {
  const { exit, log } = await night({ secret: 'another secret than it is' });
  expect(await exit).toBe(1);
  expect(JSON.stringify(log)).not.toContain('another secret');
});

test('wrong settings are an exit of their own: trying again changes nothing', async () => {
  const { exit, log } = await night({ env: { GATEWAY_URL: '' } });
  expect(await exit).toBe(78);
  expect(log.map(({ msg }) => msg).join('\n')).toContain('GATEWAY_URL');
});

test('its credential opens nothing else', async () => {
  const response = await fetch(`${system.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(Object.values(credential).join(':')).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  const client = createClient(system.gatewayUrl, async () => ({ authorization: `Bearer ${access_token}` }));
  const statuses = await Promise.all(
    samples(customerId).map(async ({ name, spec, path, body }) => {
      const { status } = await client.request(spec.method, path, { body, headersOnly: spec.mediaType !== undefined });
      return [name, status];
    }),
  );
  // With a day of its own, which a run has not: refused as what it is, and not for who asks.
  expect(statuses.filter(([, status]) => status !== 403)).toEqual([
    ['runRefresh', 422],
    ['getMe', 200],
  ]);
  expect(await client.post('/ops/renewals/refresh?dry_run=true')).toMatchObject({ status: 403 });
});
