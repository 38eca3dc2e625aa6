import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EventOf } from '@ops/contracts/events';
import { inTransaction } from '@ops/service-kit/database';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { type Changed, changed } from '../../test/statements-told.ts';
import { startWorld, type World } from '../../test/world.ts';
import { saveMessages } from './message-store.ts';
import { messageStatement } from './statement.rules.ts';

type Told = EventOf<'communication.changed'>;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const take = (...events: Told[]) =>
  inTransaction(world.db, (trx) =>
    saveMessages(
      trx,
      events
        .flatMap((event) => messageStatement(event) ?? [])
        .map((one) => ({ ...one, versions: one.renewal_ids.map(() => null) })),
    ),
  );

const stored = async (id: string) =>
  world
    .db('linked_messages')
    .where({ communication_id: id })
    .first('renewal_id', 'status', 'type', 'in_reply_to', 'occurred_at');

const [passport, permit, answered] = [uuidv7(), uuidv7(), uuidv7()];
const second = (n: number) => `2026-03-02T12:00:${String(n).padStart(2, '0')}.000Z`;

type Word = [change: Changed['change'], renewal: string | null, status?: Changed['status'], in_reply_to?: string];

/** What comms-service tells of one message, a second apart; two of the same second are in the order they are told. */
function story(words: readonly Word[], together: readonly number[] = []): { id: string; events: Told[] } {
  const id = uuidv7();
  const events = words.map(([change, renewal_id, status = 'RECEIVED', in_reply_to = renewal_id && answered], n) => {
    const said = { communication_id: id, renewal_id, change, status, in_reply_to };
    return changed({ ...said, direction: 'INBOUND', type: 'SMS' }, second(together.includes(n) ? n - 1 : n));
  });
  return { id, events };
}

const stories: [string, Word[], number[], string | null][] = [
  [
    'is linked and read',
    [
      ['created', null],
      ['linked', passport],
      ['read', passport],
    ],
    [],
    passport,
  ],
  [
    'is linked, and that is taken back',
    [
      ['created', null],
      ['linked', passport],
      ['unlinked', passport],
    ],
    [],
    null,
  ],
  [
    'is linked, taken back and linked elsewhere',
    [
      ['created', null],
      ['linked', passport],
      ['unlinked', passport],
      ['linked', permit],
    ],
    [],
    permit,
  ],
  [
    'is refiled to somebody else',
    [
      ['created', passport],
      ['moved', passport],
      ['moved', null],
    ],
    [2],
    null,
  ],
  [
    'is refiled to an answer of another renewal',
    [
      ['created', passport],
      ['moved', passport],
      ['moved', permit],
    ],
    [2],
    permit,
  ],
  [
    'is refiled there and back',
    [
      ['created', passport],
      ['moved', passport],
      ['moved', null],
      ['moved', null],
      ['moved', passport],
    ],
    [2, 4],
    passport,
  ],
  [
    'is found to be an answer later',
    [
      ['created', null],
      ['attachment', null],
      ['amended', passport],
      ['redacted', passport],
    ],
    [],
    passport,
  ],
  [
    'is found to answer what is about no renewal',
    [
      ['created', passport],
      ['amended', null, 'RECEIVED', answered],
    ],
    [],
    null,
  ],
];

test.each(stories)('a message that %s: in any order, told any number of times', async (_, words, together, renewal) => {
  const anyOrder = fc.array(fc.nat(words.length - 1), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(anyOrder, fc.boolean(), async (indices, atOnce) => {
      const { id, events } = story(words, together);
      const delivered = [...indices, ...words.keys()].map((n) => events[n] as Told);
      if (atOnce) await Promise.all(delivered.map((event) => take(event)));
      else for (const event of delivered.toReversed()) await take(event);
      const row = await stored(id);
      expect(row?.renewal_id ?? null).toBe(renewal);
    }),
    { seed: 20_260_302, numRuns: 15 },
  );
});

test('the status of a message is the newest told, and the time it was written stays', async () => {
  const { id, events } = story([
    ['created', passport, 'QUEUED'],
    ['status', passport, 'SENT'],
    ['status', passport, 'DELIVERED'],
  ]);
  await take(...events.toReversed());
  await take(events[1] as Told);
  const row = { renewal_id: passport, status: 'DELIVERED', type: 'SMS', in_reply_to: answered };
  expect(await stored(id)).toEqual({ ...row, occurred_at: new Date('2026-03-02T08:00:00Z') });
});

test('messages about no renewal leave no trace', async () => {
  const { id, events } = story([
    ['created', null],
    ['read', null],
    ['amended', null],
  ]);
  await take(...events);
  await take(changed({ communication_id: null, renewal_id: null, change: 'read' }, second(9)));
  expect(await stored(id)).toBeUndefined();
});
