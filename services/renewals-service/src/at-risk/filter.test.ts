import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { responsibleOn } from '@ops/contracts/responsible';
import { uuidv7 } from '@ops/test-kit/builders';
import { emptyTables } from '@ops/test-kit/empty-tables';
import fc from 'fast-check';
import { startTestService, type TestService } from '../../test/service.ts';
import { listQueue } from '../queue/queue-store.ts';
import { type RiskFacts, riskReasons } from './at-risk.rules.ts';
import { countAtRisk, riskOf } from './at-risk-service.ts';

const far = '2199-12-31';
const agents = [
  { id: 'there', absent_until: null, deputy: null },
  { id: 'back-today', absent_until: '2026-03-01', deputy: null },
  { id: 'away', absent_until: '2026-03-02', deputy: null },
  { id: 'stood-in-for', absent_until: far, deputy: 'there' },
  { id: 'twice-away', absent_until: far, deputy: 'away' },
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await emptyTables(service.db, 'agents');
  await service.db('agents').insert(agents.map((agent) => ({ ...agent, name: agent.id, version: 1 })));
});
afterAll(() => service.close());

interface Given extends Omit<RiskFacts, 'task_owners' | 'due_date'> {
  days: number;
  /** Of the renewal itself, and of its customer. */
  agent: string | null;
  customerAgent: string | null;
  tasks: { to: string | null; isOpen: boolean }[];
  /** Of these some reached nobody. */
  messages: { at: Date; counts: boolean }[];
  answers: { at: Date; counts: boolean }[];
  rungs: { at: Date; counts: boolean }[];
}

const now = new Date('2026-03-02T12:00:00Z');
/** Whole hours and, near what matters, the very moment. */
const moment = fc.oneof(
  fc.integer({ min: 0, max: 40 * 24 }).map((hours) => new Date(now.getTime() - hours * 3_600_000)),
  fc.constantFrom(0, 1, -1).map((ms) => new Date(now.getTime() - 14 * 86_400_000 + ms)),
);
const some = fc.array(fc.record({ at: moment, counts: fc.boolean() }), { minLength: 1, maxLength: 2 });
/** Often none, since one that counts is enough to be at no risk. */
const moments = fc.oneof({ weight: 2, arbitrary: fc.constant<Given['messages']>([]) }, { weight: 1, arbitrary: some });
const owner = fc.option(fc.constantFrom(...agents.map(({ id }) => id), 'ghost'), { nil: null, freq: 2 });
const given: fc.Arbitrary<Given> = fc.record({
  isActive: fc.constantFrom(true, true, true, false),
  days: fc.constantFrom(-100, 0, 7, 29, 30, 31),
  agent: owner,
  customerAgent: owner,
  started_at: fc.option(moment, { nil: null, freq: 2 }),
  tasks: fc.array(fc.record({ to: owner, isOpen: fc.boolean() }), { maxLength: 3 }),
  messages: moments,
  answers: moments,
  rungs: moments,
  last_rung_at: fc.constant(null),
  reached_at: fc.constant(null),
  answered_at: fc.constant(null),
});

const last = (all: Given['messages']): Date | null =>
  all
    .filter(({ counts }) => counts)
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .at(-1)?.at ?? null;

const factsOf = ({ isActive, days, started_at, agent, customerAgent, ...more }: Given): RiskFacts => ({
  isActive,
  due_date: addDays('2026-03-02', days),
  started_at,
  task_owners: more.tasks.filter(({ isOpen }) => isOpen).map(({ to }) => to ?? agent ?? customerAgent),
  last_rung_at: last(more.rungs),
  reached_at: last(more.messages),
  answered_at: last(more.answers),
});

async function write(all: readonly Given[]): Promise<string[]> {
  const ids = all.map(() => uuidv7());
  const of = <T extends object>(rowsOf: (one: Given, id: string) => T[]) =>
    all.flatMap((one, n) => rowsOf(one, ids[n] as string));
  const [at, date] = ['2026-01-01T00:00:00Z', '2026-01-01'];
  await service.db('followed_customers').delete();
  await service.db('renewals').insert(
    of((one, id) => [
      {
        id,
        customer_id: `C-${id}`,
        service_type: 'RESIDENCE_PERMIT',
        due_date: addDays('2026-03-02', one.days),
        anchor_day: 1,
        status: one.isActive ? 'UPCOMING' : 'COMPLETED',
        closed_at: one.isActive ? null : at,
        closed_from: one.isActive ? null : 'UPCOMING',
        assigned_agent: one.agent,
        started_at: one.started_at,
        created_on: date,
        created_at: at,
        updated_at: at,
      },
    ]),
  );
  for (const [n, { customerAgent }] of all.entries())
    await service.db('renewals').where({ id: ids[n] }).update({ customer_agent: customerAgent });
  const tables = {
    followed_tasks: of((one, renewal_id) =>
      one.tasks.map(({ to, isOpen }) => ({
        task_id: uuidv7(),
        renewal_id,
        assigned_agent: to,
        is_open: isOpen,
        version: 1,
      })),
    ),
    alerts: of((one, renewal_id) =>
      one.rungs.map(({ at: decided_at, counts }, n) => ({
        renewal_id,
        due_date: date,
        rung: n === 0 ? '90' : '60',
        state: counts ? 'FIRED' : 'SUPERSEDED',
        days_until_due: 0,
        decided_at,
      })),
    ),
    linked_messages: of((one, renewal_id) => [
      ...one.messages.map((message) => ({ ...messageOf(renewal_id, message), ...outbound(message.counts) })),
      ...one.answers.map((message) => ({
        ...messageOf(renewal_id, message),
        direction: 'INBOUND',
        status: 'RECEIVED',
        type: 'EMAIL',
        automatic: !message.counts,
      })),
    ]),
  };
  for (const [table, some] of Object.entries(tables)) if (some.length > 0) await service.db(table).insert(some);
  return ids;
}

const messageOf = (renewal_id: string, { at: occurred_at }: { at: Date }) => ({
  communication_id: uuidv7(),
  renewal_id,
  occurred_at,
  told_at: occurred_at,
  told_id: 'x',
});

let turn = 0;
const reachedBy = [
  { type: 'SMS', status: 'SENT' },
  { type: 'EMAIL', status: 'SENT' },
  { type: 'MESSAGING_APP', status: 'DELIVERED' },
  { type: 'MESSAGING_APP', status: 'READ' },
];
const reachedNobody = [
  { type: 'MESSAGING_APP', status: 'SENT' },
  { type: 'EMAIL', status: 'FAILED' },
  { type: 'SMS', status: 'QUEUED' },
  { type: 'EMAIL', status: 'UNCERTAIN' },
];
/** Each kind in its turn. */
const outbound = (reached: boolean) => ({
  direction: 'OUTBOUND',
  automatic: false,
  ...(reached ? reachedBy : reachedNobody)[turn++ % 4],
});

const today = '2026-03-02';
const at = { now: () => now, today: () => today };
const responsible = responsibleOn(agents, today);

async function listed(): Promise<Record<string, string[]>> {
  const nothing = {
    window: undefined,
    dueFrom: undefined,
    dueTo: undefined,
    serviceType: undefined,
    status: undefined,
  };
  const all = {
    owners: undefined,
    customerId: undefined,
    run: undefined,
    rung: undefined,
    number: undefined,
    after: undefined,
  };
  const asked = { ...nothing, ...all, atRisk: true, now, today, limit: 200 };
  const { renewals } = await listQueue(service.db, asked);
  return Object.fromEntries(await riskOf(at, service.db, renewals, responsible));
}

test('the filter of the queue, the reasons of its lines and what a refresh counts are what the rule says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 25 }), async (all) => {
      await service.empty();
      const ids = await write(all);
      const expected = all.map((one) => riskReasons(factsOf(one), { now, today, responsible }));
      const some = expected.flatMap((reasons, n) => (reasons.length > 0 ? [[ids[n], reasons]] : []));
      expect(await listed()).toEqual(Object.fromEntries(some));
      expect(await countAtRisk(at, service.db, uuidv7())).toBe(some.length);
    }),
    { seed: 20_261_123, numRuns: 80 },
  );
});
