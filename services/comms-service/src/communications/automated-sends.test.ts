import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import { v7 as uuidv7 } from 'uuid';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ AUTOMATED_SENDS_PER_CUSTOMER_PER_HOUR: '3' });
});
afterAll(() => service.close());

let [one, other] = ['', ''];
beforeEach(async () => {
  [one, other] = [uuidv7(), uuidv7()];
  for (const id of [one, other]) await service.put(staff, `/ops/customers/${id}`, { name: 'Demo' });
});

const send = (who = automation, customer = one, direction = 'OUTBOUND') =>
  service.post(who, `/ops/customers/${customer}/communications`, { type: 'SMS', direction, body: canary() });

const times = <T>(n: number, work: () => Promise<T>) => Promise.all(Array.from({ length: n }, work));

test('a program sends a customer so many messages an hour, however many it asks for at once', async () => {
  const statuses = (await times(12, () => send())).map(({ status }) => status).sort();
  expect(statuses).toEqual([201, 201, 201, ...Array.from({ length: 9 }, () => 429)]);
  expect(await service.db('communications').where({ customer_id: one }).count()).toEqual([{ count: '3' }]);
});

test('it is told when to come again, and may then', async () => {
  await times(3, () => send());
  const log = () => service.db('communications').where({ customer_id: one });
  await log().update({
    occurred_at: service.db.raw(`occurred_at - interval '50 minutes'`),
    created_at: service.db.raw(`created_at - interval '50 minutes'`),
  });
  const refused = await send();
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests', detail: expect.any(String) } });
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(8 * 60);
  expect(wait).toBeLessThanOrEqual(10 * 60);
  await log().update({ occurred_at: service.db.raw(`occurred_at - interval '10 minutes'`) });
  expect((await send()).status).toBe(201);
});

test('other customers, other programs, people, and what a program logs of others stay free', async () => {
  await times(3, () => send());
  expect((await send()).status).toBe(429);
  expect((await send(automation, other)).status).toBe(201);
  expect((await send({ ...automation, sub: 'another' })).status).toBe(201);
  expect((await send(staff)).status).toBe(201);
  expect((await send(automation, one, 'INBOUND')).status).toBe(201);
});
