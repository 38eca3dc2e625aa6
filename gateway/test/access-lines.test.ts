import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '@ops/service-kit/logger';
import { eventually } from '@ops/test-kit/eventually';
import { type AccessFiles, openAccessFiles } from '../src/audit/access-files.ts';
import { ask, bearer, startTestGateway, type TestGateway } from './gateway.ts';
import { startTestIssuer, type TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;
let files: AccessFiles;
let dir: string;
const logger = createLogger('gateway', 'silent');

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ops-access-'));
  issuer = await startTestIssuer();
  files = await openAccessFiles({ dir, days: 3, logger });
  const env = { RATE_LIMIT_PER_MINUTE: '5000', TRUSTED_PROXIES: '1' };
  gateway = await startTestGateway({ issuer: issuer.url, env, accessFiles: files });
});
afterAll(async () => {
  await gateway.stop();
  await files.stop();
  await issuer.down();
  await rm(dir, { recursive: true });
});

interface Line {
  sub?: string;
  path: string;
  status: number;
}

const lines = async (): Promise<Line[]> => {
  const all = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), 'utf8')));
  return all
    .join('')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

test('the line of a request says who asked and from where, apart from the log; what stood in a query is not in it', async () => {
  const one = bearer(await issuer.token({ sub: 'one', roles: ['staff'] }));
  const headers = { ...one, 'x-forwarded-for': '198.51.100.7', 'x-request-id': 'asked-by-one' };
  await ask(gateway.port, '/ops/customers?q=confidential', { headers });
  const line = await eventually(async () => {
    const found = (await lines()).find(({ sub }) => sub === 'one');
    expect(found).toBeDefined();
    return found;
  });
  expect(line).toMatchObject({
    sub: 'one',
    role: 'staff',
    address: '198.51.100.7',
    method: 'GET',
    path: '/ops/customers',
    status: 200,
    request_id: 'asked-by-one',
  });
  expect(JSON.stringify(line)).not.toContain('confidential');
  expect(gateway.logged.join('')).not.toContain('/ops/customers');
});

test('of a path of thousands of letters there are some hundred', async () => {
  await ask(gateway.port, `/ops/${'x'.repeat(8_000)}`, { headers: bearer(await issuer.token({ sub: 'long' })) });
  const line = await eventually(async () => {
    const found = (await lines()).find(({ path }) => path.startsWith('/ops/xxx'));
    expect(found).toBeDefined();
    return found;
  });
  expect(line?.path).toHaveLength(200);
});

test('a flood of requests without a good token leaves some hundred lines, and every line of those who have one', async () => {
  const one = bearer(await issuer.token({ sub: 'among-many', roles: ['staff'] }));
  const bad = bearer('bad');
  for (let i = 0; i < 20; i++) {
    await Promise.all(Array.from({ length: 50 }, () => ask(gateway.port, '/ops/me', { headers: bad })));
    await ask(gateway.port, '/ops/me', { headers: one });
  }
  await eventually(async () => expect((await lines()).filter(({ sub }) => sub === 'among-many')).toHaveLength(20));
  const strangers = (await lines()).filter(({ sub }) => sub === undefined);
  expect(strangers.length).toBeGreaterThan(0);
  expect(strangers.length).toBeLessThanOrEqual(240);
});

test('whoever has a token is not hidden by the flood when they are refused, or go before the answer ends', async () => {
  const customer = bearer(await issuer.token({ sub: 'C-refused', roles: ['customer'] }));
  for (let i = 0; i < 300; i++) await ask(gateway.port, '/ops/me', { headers: bearer('bad') });
  await ask(gateway.port, '/ops/tasks', { headers: customer });
  const gone = httpRequest({
    port: gateway.port,
    path: '/ops/stream',
    headers: bearer(await issuer.token({ sub: 'gone', roles: ['staff'] })),
  });
  gone.on('response', () => gone.destroy()).on('error', () => {});
  gone.end();
  await eventually(async () =>
    expect(await lines()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ sub: 'C-refused', status: 403 }),
        expect.objectContaining({ sub: 'gone', status: 499 }),
      ]),
    ),
  );
});

test('files are kept for as many days as was asked, and nothing else in their folder is touched', async () => {
  const own = await mkdtemp(join(tmpdir(), 'ops-access-'));
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const nameOf = (days: number) => `access-${daysAgo(days)}.${hostname()}.jsonl`;
  const kept = [nameOf(0), nameOf(3), 'access-of-another.jsonl'];
  for (const name of [...kept, nameOf(4)]) await writeFile(join(own, name), '');
  const opened = await openAccessFiles({ dir: own, days: 3, logger });
  await opened.stop();
  expect((await readdir(own)).sort()).toEqual(kept.sort());
  await rm(own, { recursive: true });
});

test('what could not be written is written once the disk is back', async () => {
  const own = await mkdtemp(join(tmpdir(), 'ops-access-'));
  const logged: string[] = [];
  const telling = createLogger('gateway', 'warn', { write: (line) => logged.push(line) });
  const opened = await openAccessFiles({ dir: own, days: 3, logger: telling });
  await rm(own, { recursive: true });
  opened.write('while it was away\n');
  await eventually(() => expect(logged.join('')).toContain('will be tried again'));
  await mkdir(own);
  await opened.stop();
  const [name = ''] = await readdir(own);
  expect(await readFile(join(own, name), 'utf8')).toBe('while it was away\n');
  await rm(own, { recursive: true });
});

test('a folder that cannot be written to is refused at once', async () => {
  const file = join(dir, 'a-file');
  await writeFile(file, '');
  await expect(openAccessFiles({ dir: join(file, 'below'), days: 3, logger })).rejects.toThrow(/ENOTDIR/);
  await rm(file);
});
