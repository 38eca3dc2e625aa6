import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Communication, CreateCommunication } from '@ops/contracts/resources/communication';
import { inTransaction, rows } from '@ops/service-kit/database';
import fc from 'fast-check';
import { deps } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import type { Wanted } from './communication.rules.ts';
import { createCommunications } from './communication-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let worlds = 0;

const names = ['ada', 'bob', 'eva', 'kim', 'lee', 'sam'];

/** As many customers; the last has become the one before, and the first has written something that may be answered. */
async function newWorld() {
  worlds += 1;
  const ids = names.map((name) => `${name}-${worlds}`);
  for (const [n, id] of ids.entries())
    await service.put(staff, `/ops/customers/${id}`, {
      name: 'Demo',
      phones: [`+44770${n}${String(worlds).padStart(5, '0')}1`],
      emails: [`${id}@example.com`],
    });
  const [first = '', lee = '', sam = ''] = [ids[0], ids[4], ids[5]];
  await service.post(staff, `/ops/customers/${sam}/merge`, { into: lee });
  const [said] = await write([{ customerId: first, actor: staff, input: { ...inbound, body: 'Hello' } }]);
  return { ids, first, lee, sam, said: said?.id ?? '' };
}
type World = Awaited<ReturnType<typeof newWorld>>;

const inbound = { type: 'EMAIL', direction: 'INBOUND' } as const;

/** Whoever waits for a lock waits for good. */
const write = (wanted: readonly Wanted[], mayWait = true): Promise<Communication[]> =>
  inTransaction(service.db, async (trx) => {
    await trx.raw('SET LOCAL lock_timeout = 0');
    return createCommunications(deps, trx, wanted, mayWait);
  });

const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const outside = fc.constantFrom('MESSAGING_APP', 'EMAIL', 'SMS');
const posted = fc.oneof(
  fc.record({ type: outside, direction: fc.constant('INBOUND'), body: fc.constantFrom('Hello', 'STOP', 'START') }),
  fc.record({
    type: outside,
    direction: fc.constant('OUTBOUND'),
    body: fc.constant('Good day'),
    send_after: fc.constantFrom(null, tomorrow),
  }),
  fc.constant({ type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: 'A note' }),
  fc.constant({ type: 'CALL_LOG', direction: 'INTERNAL', subject: 'A call', body: 'They called' }),
  fc.constant({ type: 'EMAIL', direction: 'OUTBOUND', body: 'An answer', isAnswer: true }),
) as fc.Arbitrary<CreateCommunication & { isAnswer?: true }>;

const asked = (
  { ids, said }: World,
  all: readonly { who: number; input: CreateCommunication & { isAnswer?: true } }[],
) =>
  all.map(
    ({ who, input: { isAnswer, ...input } }, n): Wanted => ({
      customerId: ids[who] ?? '',
      actor: { ...staff, sub: `writer${n}` },
      input: { ...input, ...(isAnswer && who === 0 && { in_reply_to: said }) },
    }),
  );

/** All that was written and told, each thing by the place of what it is about. */
async function outcome({ ids }: World, written: readonly Communication[]) {
  const places = new Map(written.map(({ id }, n) => [id, n]));
  const told = await rows<{ event: string; id: string }>(
    service.db,
    `SELECT CAST(event AS text) AS event, event -> 'data' ->> 'communication_id' AS id FROM outbox ORDER BY outbox.id`,
  );
  const kept = async (sql: string) => JSON.stringify(await rows(service.db, sql, { ids }));
  const nameless = (text: string) =>
    text
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => `#${places.get(id) ?? ''}`)
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?/g, 'then')
      .replaceAll(/"(traceparent|requestid)":"[^"]*",?/g, '')
      .replaceAll(`-${ids[0]?.split('-')[1]}`, '')
      .replaceAll(/\+44770(\d)\d{5}1/g, 'phone $1');
  return {
    records: written.map((record) => JSON.parse(nameless(JSON.stringify(record)))),
    told: written.map(({ id }) => told.flatMap((one) => (one.id === id ? nameless(one.event) : []))),
    timeline: nameless(
      await kept(
        'SELECT customer_id, type, communication_id FROM timeline WHERE customer_id = ANY (:ids) ORDER BY customer_id, communication_id',
      ),
    ),
    waiting: nameless(
      await kept(
        'SELECT customer_id, waiting_since IS NOT NULL AS waits, message_id FROM attention WHERE customer_id = ANY (:ids) ORDER BY customer_id',
      ),
    ),
    opted_out: nameless(
      await kept(
        'SELECT customer_id, channel, address, opted_out, communication_id FROM opt_outs WHERE customer_id = ANY (:ids) ORDER BY communication_id, address',
      ),
    ),
  };
}

test('what is written together is written and told as it would be one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc
        .uniqueArray(fc.record({ who: fc.nat(5), input: posted }), { selector: ({ who }) => who, minLength: 2 })
        .filter((all) => all.filter(({ who }) => who >= 4).length < 2),
      async (all) => {
        const [one, other] = [await newWorld(), await newWorld()];
        const together = await outcome(one, await write(asked(one, all)));
        const apart: Communication[] = [];
        for (const each of asked(other, all)) apart.push(...(await write([each])));
        expect(together).toEqual(await outcome(other, apart));
      },
    ),
    { numRuns: 15 },
  );
});

test('two ids of one customer do not go together, and none waits for a customer whom somebody holds', async () => {
  const { first, lee, sam } = await newWorld();
  const to = (customerId: string) => ({ customerId, actor: staff, input: { ...inbound, body: 'Hello' } });
  await expect(write([to(lee), to(sam)])).rejects.toThrow('Two of these are of one customer');
  await inTransaction(service.db, async (trx) => {
    await trx('customers').where({ id: lee }).forUpdate().first();
    await expect(write([to(first), to(lee)], false)).rejects.toMatchObject({ code: '55P03' });
    expect(await write([to(first)])).toMatchObject([{ customer_id: first }]);
  });
});

test('of many at once each is answered as if alone, while somebody is held and somebody is not there', async () => {
  const { ids, lee } = await newWorld();
  const post = (id: string) =>
    service.post<Communication>(staff, `/ops/customers/${id}/communications`, { ...inbound, body: `For ${id}` });
  const free = ids.slice(0, 4);
  const held = await inTransaction(service.db, async (trx) => {
    await trx('customers').where({ id: lee }).forUpdate().first();
    const waiting = post(lee);
    const answers = await Promise.all([...free, 'nobody', ...free, ...free].map(post));
    expect(answers.map(({ status, body }) => [status, body.body])).toEqual(
      [...free, 'nobody', ...free, ...free].map((id) => (id === 'nobody' ? [404, undefined] : [201, `For ${id}`])),
    );
    return { waiting };
  });
  expect((await held.waiting).status).toBe(201);
});
