import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Overtaking } from '@ops/contracts/internal-routes';
import type { Problem } from '@ops/contracts/problem';
import type { Communication } from '@ops/contracts/resources/communication';
import { listen } from '@ops/service-kit/http-server';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let notifier: Awaited<ReturnType<typeof listen>>;
/** What notifier says of every message; undefined: that it cannot say. */
let says: { overtaken: Overtaking | null } | undefined;
let asked: string[];

beforeAll(async () => {
  notifier = await listen(
    (req, res) => {
      asked.push(req.url ?? '');
      res.writeHead(says ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(says ?? {}));
    },
    { host: '127.0.0.1', port: 0 },
  );
  service = await startTestService({ NOTIFIER_URL: `http://127.0.0.1:${notifier.port}` });
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'] });
});
afterAll(async () => {
  await service.close();
  await notifier.close();
});

/** A message of an alert, or one that a person wrote, which failed. */
async function failed(renewal_id: string | null): Promise<string> {
  asked = [];
  const id = uuidv7();
  const row = { id, customer_id: 'C-1', type: 'EMAIL', direction: 'OUTBOUND', body: canary(), status: 'FAILED' };
  const at = new Date();
  await service.db('communications').insert({
    ...row,
    attempt: 1,
    renewal_id,
    automated: renewal_id !== null,
    created_by: 'notifier',
    unread: false,
    occurred_at: at,
    created_at: at,
    failure: JSON.stringify({ code: 'smtp:550', message: 'no such mailbox' }),
  });
  await service.forgetEvents();
  return id;
}

const retry = (id: string) => service.post<Communication & Problem>(staff, `/ops/communications/${id}/retry`);
const queued = async () => (await service.events()).filter(({ type }) => type === 'communication.queued');

const newest_alert = {
  renewal_id: '0198b7a2-0000-7000-8000-000000000001',
  rung: 'OVERDUE' as const,
  due_date: '2026-03-31',
  days_until_due: -3,
};

test('overtaken: it is not sent again, and the answer says by what and which alert is to be sent today', async () => {
  const id = await failed(uuidv7());
  says = { overtaken: { message: 'The more urgent alert OVERDUE took its place', newest_alert } };
  expect(await retry(id)).toMatchObject({
    status: 409,
    body: { code: 'overtaken', detail: 'The more urgent alert OVERDUE took its place', newest_alert },
  });
  expect(asked).toEqual([`/internal/communications/${id}/overtaking`]);
  says = { overtaken: { message: 'The renewal was completed', newest_alert: null } };
  const { body } = await retry(id);
  expect(body).toMatchObject({ code: 'overtaken', detail: 'The renewal was completed' });
  expect(body).not.toHaveProperty('newest_alert');
  expect(await queued()).toEqual([]);
});

test('while nobody can say whether it was overtaken, nothing leaves; afterwards it is sent again', async () => {
  const id = await failed(uuidv7());
  says = undefined;
  expect(await retry(id)).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(await queued()).toEqual([]);
  says = { overtaken: null };
  expect(await retry(id)).toMatchObject({ status: 200, body: { status: 'QUEUED', attempt: 2 } });
  await eventually(async () => expect(await queued()).toHaveLength(1));
});

test('what a person wrote is sent again without asking', async () => {
  const id = await failed(null);
  says = undefined;
  expect(await retry(id)).toMatchObject({ status: 200 });
  expect(asked).toEqual([]);
});

test('what staff find out of an uncertain message of an alert is told to who follows it, and of others to nobody', async () => {
  const told = async () => (await service.events()).filter(({ type }) => type === 'communication.settled');
  for (const renewal_id of [null, uuidv7()]) {
    const id = await failed(renewal_id);
    await service.db('communications').where({ id }).update({ status: 'UNCERTAIN' });
    await service.post(staff, `/ops/communications/${id}/resolve`, { outcome: 'failed' });
    const data = { communication_id: id, attempt: 1, status: 'FAILED', failure: { code: 'settled_as_failed' } };
    expect(await told()).toMatchObject(renewal_id ? [{ data }] : []);
  }
});
