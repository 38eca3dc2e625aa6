import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { serviceNames } from '@ops/contracts/routes';
import { type ApiClient, createClient } from '@ops/contracts/test/http-client';
import { requestToken } from '@ops/demo/request-token';
import { manageProcess } from '@ops/machine/managed-process';
import { execute, openDatabase } from '@ops/service-kit/database';
import type { Examined } from '@ops/service-kit/doctor/finding';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { run, type SecureSystem, startSecureSystem } from './secure-system.ts';

/** By certificates of an authority of the test's own, for `localhost` and no other name. */
let secure: SecureSystem;
let staff: ApiClient;
beforeAll(async () => {
  secure = await startSecureSystem();
  staff = createClient(secure.system.gatewayUrl, asStaff);
});
afterAll(() => secure?.stop());

async function asStaff() {
  const { issuer, tokenClient } = secure.system;
  return { authorization: `Bearer ${await requestToken(issuer, tokenClient, 'staff')}` };
}

const processes = ['gateway', ...serviceNames] as const;
const folderOf = (name: string) => (name === 'gateway' ? name : `services/${name}`);
const envOf = (name: string) => secure.system.specOf(name).env;

test('a message goes out: through the gateway, a service, the broker, another that asks the first, and back', async () => {
  const [phone, body] = ['+447700900555', canary()];
  await staff.put('/ops/customers/C-tls', { name: 'Demo Customer', phones: [phone] });
  const path = '/ops/customers/C-tls/communications';
  expect(await staff.post(path, { type: 'SMS', direction: 'OUTBOUND', body })).toMatchObject({ status: 201 });
  await eventually(async () => {
    const { data } = (await staff.get(path)).body as { data: Communication[] };
    expect(data).toEqual([expect.objectContaining({ body, status: expect.stringMatching(/SENT|DELIVERED|READ/) })]);
  });
  await staff.post('/ops/customers/C-tls/renewals', { service_type: 'RESIDENCE_PERMIT', due_date: '2099-01-31' });
  const renewals = await staff.get('/ops/customers/C-tls/renewals');
  expect(renewals.body).toMatchObject({ data: [{ customer_id: 'C-tls' }] });
});

test.each(processes)('%s finds nothing wrong, and nothing that is not encrypted', async (name) => {
  const { out, said } = await run(`${folderOf(name)}/src/doctor.ts`, envOf(name), ['--json', '--timeout', '60']);
  const [{ checks = [] } = {}] = (JSON.parse(out) as { processes: Examined[] }).processes;
  expect(checks.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(said).toContain('database, broker and services are met by verified TLS');
  expect(said).toContain('for DNS:localhost, until ');
});

test('nobody is answered without TLS', async () => {
  for (const url of [secure.system.gatewayUrl, ...Object.values(secure.system.serviceUrls)]) {
    expect(await fetch(`${url}/healthz`)).toMatchObject({ status: 200 });
    await expect(fetch(`${url.replace('https:', 'http:')}/healthz`)).rejects.toThrow('fetch failed');
  }
  const plain = openDatabase(secure.adminUrl.replace('?sslmode=verify-full', ''), { applicationName: 'test' });
  await expect(execute(plain, 'SELECT 1')).rejects.toThrow('no encryption');
  await plain.destroy();
});

/** Another authority of the same name, and another name. */
const [another, unknown] = [/certificate signature failure/, /127\.0\.0\.1 is not in the cert's list/];

test.each<[string, string, (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv, RegExp]>([
  [
    'migrate',
    'packages/deployment/src/migrate-command.ts',
    () => ({ ...secure.migration, ...secure.elsewhere }),
    another,
  ],
  ['a service', 'services/comms-service/src/main.ts', (env) => ({ ...env, ...secure.elsewhere }), another],
  ['the gateway', 'gateway/src/main.ts', (env) => ({ ...env, ...secure.elsewhere }), another],
  [
    'a service, of a database by another name',
    'services/notifier/src/main.ts',
    (env) => ({ ...env, DATABASE_URL: elsewhere(env.DATABASE_URL) }),
    unknown,
  ],
  [
    'a service, of a broker by another name',
    'services/webhook-ingest/src/main.ts',
    (env) => ({ ...env, AMQP_URL: elsewhere(env.AMQP_URL) }),
    unknown,
  ],
])('a certificate that is not believed ends the start of %s, and it says why', async (_, script, change, why) => {
  const [, name = ''] = /(?:services\/)?([a-z-]+)\/src/.exec(script) ?? [];
  const env = change(script.includes('deployment') ? {} : { ...envOf(name), PORT: '0' });
  const { code, said } = await run(script, env);
  expect(said).toMatch(/(DATABASE_URL|AMQP_URL): the certificate of the server is not believed: /);
  expect(said).toMatch(why);
  expect(said).toContain('TLS_CA_FILE names the authority that signed it');
  expect(code).toBe(78);
});

/** The same server, by a name that its certificate is not for. */
const elsewhere = (url = '') => url.replace('@localhost', '@127.0.0.1');

test('a service whose certificate is for another name is asked nothing, and who looks finds out why', async () => {
  const services = secure.system.serviceUrls;
  const env = { ...envOf('gateway'), COMMS_SERVICE_URL: services['comms-service'].replace('localhost', '127.0.0.1') };
  const lines: string[] = [];
  const entry = secure.system.specOf('gateway').entry;
  const gateway = manageProcess(
    { name: 'gateway', entry, env: { ...env, PORT: '0' } },
    (line) => lines.push(line),
    fail,
  );
  const { port } = await gateway.start();
  const answers = async (path: string) =>
    (await fetch(`https://localhost:${port}${path}`, { headers: await asStaff() })).status;
  expect([await answers('/ops/customers'), await answers('/ops/renewals')]).toEqual([503, 200]);
  await gateway.stop();
  expect(lines.join('\n')).toMatch(unknown);
  const { said } = await run('gateway/src/doctor.ts', env, ['--timeout', '60']);
  expect(said).toMatch(/FAILED +comms-service: .*127\.0\.0\.1 is not in the cert's list/);
  expect(said).toContain('ok       renewals-service');
});

const fail = ({ name }: { name: string }): never => {
  throw new Error(`${name} ended`);
};
