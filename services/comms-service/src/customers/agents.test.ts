import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Customer } from '@ops/contracts/resources/customer';
import type { CsvImport, ImportRow } from '@ops/contracts/resources/import';
import { listen } from '@ops/service-kit/http-server';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let notifier: Awaited<ReturnType<typeof listen>>;
let asked: string[] = [];
let isAway = false;

beforeAll(async () => {
  notifier = await listen(
    async (req, res) => {
      const { ids } = JSON.parse(await text(req)) as { ids: string[] };
      asked.push(...ids);
      const data = ids.filter((id) => id === 'ada');
      res.writeHead(isAway ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    },
    { host: '127.0.0.1', port: 0 },
  );
  service = await startTestService({ NOTIFIER_URL: `http://127.0.0.1:${notifier.port}` });
});
afterAll(async () => {
  await service.close();
  await notifier.close();
});

const put = (id: string, assigned_agent: string, more: object = {}) =>
  service.put<Customer & Problem>(staff, `/ops/customers/${id}`, { name: 'Demo', assigned_agent, ...more });

test('an agent nobody knows is refused by name; who has one from before may keep it', async () => {
  const refused = await put('C-1', 'ghost');
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [{ path: 'assigned_agent', message: 'is not a known agent' }],
  ]);
  expect((await put('C-1', 'ada')).status).toBe(201);
  await service.db('customers').update({ assigned_agent: 'ghost' });
  expect((await put('C-1', 'ghost', { locale: 'de' })).body).toMatchObject({ assigned_agent: 'ghost', locale: 'de' });
});

test('notifier is asked only about whom it has not told of; while it is away nobody can say', async () => {
  const data = { agent_id: 'bob', name: 'Bob', absent_until: null, deputy: null, occurred_at: '2026-03-01T10:00:00Z' };
  const about = { specversion: '1.0' as const, source: 'notifier', type: 'agent.changed', subject: 'bob' };
  const told = [2, 1].map((version) => ({
    event: { ...about, id: uuidv7(), time: data.occurred_at, data: { ...data, version } },
  }));
  await service.bus.publish(told);
  await eventually(async () => expect(await service.db('agents').where({ id: 'bob', version: 2 })).toHaveLength(1));
  isAway = true;
  asked = [];
  expect([(await put('C-2', 'bob')).status, (await put('C-2', 'cleo')).status, asked]).toEqual([201, 503, ['cleo']]);
  isAway = false;
});

test('a row that gives to somebody nobody knows is refused; one that names who has it already is not', async () => {
  await put('C-3', 'ada');
  await service.db('customers').where({ id: 'C-3' }).update({ sources: {} });
  await service.db('customers').where({ id: 'C-3' }).update({ assigned_agent: 'ghost' });
  const file = 'customer_id,name,assigned_agent\nC-3,Demo Three,ghost\nC-4,Demo Four,ghost\nC-5,Demo Five,ada\n';
  for (const [dryRun, outcomes] of [
    [true, ['change', 'refused', 'create']],
    [false, ['changed', 'refused', 'created']],
  ] as const) {
    const path = `/ops/imports/customers?dry_run=${dryRun}`;
    const { id } = (await service.post<CsvImport>(staff, path, Buffer.from(file))).body;
    const rows = await eventually(async () => {
      const { body } = await service.get<CsvImport>(staff, `/ops/imports/customers/${id}`);
      expect(['CHECKED', 'COMPLETED']).toContain(body.status);
      return (await service.get<Page<ImportRow>>(staff, `/ops/imports/customers/${id}/rows`)).body.data;
    });
    expect(rows.map(({ outcome }) => outcome)).toEqual(outcomes);
    const told = { column: 'assigned_agent', message: 'is not a known agent: ghost' };
    expect(rows.map(({ errors }) => errors)).toEqual([[], [told], []]);
  }
});
