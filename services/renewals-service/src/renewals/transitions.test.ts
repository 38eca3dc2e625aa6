import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { ComplianceFlag, Renewal, RenewalStatus } from '@ops/contracts/resources/renewal';
import { alerted, at, inDays, type Move } from '../../test/renewals.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;

beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' }, { id: 'C-2', name: 'Bob Demo' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const flags = async (customer = 'C-1') =>
  (await service.get<Page<ComplianceFlag>>(staff, `/ops/customers/${customer}/compliance-flags`)).body.data;

const overdue = async () => {
  const made = await renewals.create({ due_date: inDays(service, -3) });
  await alerted(service, made, ['90', '60', '30', '14', '7', 'OVERDUE']);
  return made;
};

/** How a renewal comes to stand where it does. */
const ways = {
  UPCOMING: () => renewals.create(),
  'UPCOMING, reopened': async () => after(await renewals.create(), 'cancel', 'reopen'),
  IN_PROGRESS: async () => after(await renewals.create(), 'start'),
  OVERDUE: overdue,
  'OVERDUE, worked on': async () => after(await overdue(), 'start'),
  COMPLETED: async () => after(await renewals.create(), 'complete'),
  'COMPLETED when overdue': async () => after(await overdue(), 'complete'),
  CANCELLED: async () => after(await renewals.create(), 'cancel'),
} satisfies Record<string, () => Promise<Renewal>>;

async function after(renewal: Renewal, ...moves: Move[]): Promise<Renewal> {
  for (const move of moves) expect((await renewals.move(renewal.id, move)).status).toBe(200);
  return renewal;
}

/** Changed to a status; `same`: 200 with what was there; refused: 409. */
const answers: [keyof typeof ways, Record<Move, RenewalStatus | 'same' | 'refused'>][] = [
  [
    'UPCOMING',
    { start: 'IN_PROGRESS', complete: 'COMPLETED', cancel: 'CANCELLED', reopen: 'refused', release: 'same' },
  ],
  [
    'UPCOMING, reopened',
    { start: 'IN_PROGRESS', complete: 'COMPLETED', cancel: 'CANCELLED', reopen: 'same', release: 'same' },
  ],
  [
    'IN_PROGRESS',
    { start: 'same', complete: 'COMPLETED', cancel: 'CANCELLED', reopen: 'refused', release: 'IN_PROGRESS' },
  ],
  ['OVERDUE', { start: 'OVERDUE', complete: 'COMPLETED', cancel: 'CANCELLED', reopen: 'refused', release: 'same' }],
  [
    'OVERDUE, worked on',
    { start: 'same', complete: 'COMPLETED', cancel: 'CANCELLED', reopen: 'refused', release: 'OVERDUE' },
  ],
  ['COMPLETED', { start: 'refused', complete: 'same', cancel: 'refused', reopen: 'UPCOMING', release: 'refused' }],
  [
    'COMPLETED when overdue',
    { start: 'refused', complete: 'same', cancel: 'refused', reopen: 'OVERDUE', release: 'refused' },
  ],
  ['CANCELLED', { start: 'refused', complete: 'refused', cancel: 'same', reopen: 'UPCOMING', release: 'refused' }],
];
const cells = answers.flatMap(([state, row]) =>
  (Object.keys(row) as Move[]).map((move) => [move, state, row[move]] as const),
);

test.each(cells)('%s of one that is %s: %s', async (move, state, expected) => {
  const { id } = await ways[state]();
  const before = await renewals.row(id);
  await service.forgetEvents();
  const answer = await renewals.move(id, move);
  const changed = expected !== 'same' && expected !== 'refused';
  expect(answer.status).toBe(expected === 'refused' ? 409 : 200);
  expect(await renewals.row(id)).toMatchObject({
    status: changed ? expected : before.status,
    version: before.version + (changed ? 1 : 0),
  });
  const told = (await service.events()).filter(({ data }) => data.renewal_id === id);
  expect(told.some(({ type }) => type === 'renewal.changed')).toBe(changed);
  if (expected === 'refused') return;
  const renewal = 'renewal' in answer.body ? answer.body.renewal : answer.body;
  expect(answer.headers.get('etag')).toBe(`"${renewal.version}"`);
  const repeated = await renewals.move(id, move);
  expect(repeated).toMatchObject({ status: 200, body: answer.body });
});

test.each(['start', 'complete', 'cancel', 'reopen'] as const)(
  '%s on a stale version is refused, and of nothing at all is not found',
  async (move) => {
    const { id } = move === 'reopen' ? await ways.CANCELLED() : await ways.UPCOMING();
    const { version } = await renewals.row(id);
    expect(await renewals.move(id, move, undefined, { 'if-match': `"${version + 1}"` })).toMatchObject({ status: 412 });
    expect(await renewals.row(id)).toMatchObject({ version });
    const moved = await renewals.move(id, move, undefined, { 'if-match': `"${version}"` });
    expect(moved.status).toBe(200);
    // The answer was lost, and the same is asked for again.
    const again = await renewals.move(id, move, undefined, { 'if-match': `"${version}"` });
    expect(again).toMatchObject({ status: 200, body: moved.body });
    expect(await renewals.move('0198c7a0-0000-7000-8000-000000000000', move)).toMatchObject({ status: 404 });
  },
);

test('closing an overdue renewal clears its flag, and reopening it takes that back', async () => {
  const { id } = await overdue();
  expect(await flags()).toMatchObject([{ renewal_id: id, state: 'open', service_type: 'RESIDENCE_PERMIT' }]);
  await renewals.move(id, 'complete', { create_next: false });
  expect(await flags()).toMatchObject([{ state: 'cleared', cleared_because: 'completed' }]);
  await renewals.move(id, 'reopen');
  expect(await flags()).toMatchObject([{ state: 'open', cleared_at: null }]);
  await renewals.move(id, 'cancel');
  expect(await flags()).toMatchObject([{ state: 'cleared', cleared_because: 'cancelled' }]);
});

test('reopening one that was not overdue when it was closed opens no flag of before', async () => {
  const { id } = await overdue();
  await renewals.change(id, { due_date: inDays(service, 5) });
  await renewals.move(id, 'cancel');
  await renewals.move(id, 'reopen');
  expect(await flags()).toMatchObject([{ state: 'cleared', cleared_because: 'date_changed' }]);
  const again = await renewals.change(id, { due_date: inDays(service, -1) });
  await alerted(service, again.body, ['OVERDUE']);
  await renewals.move(id, 'complete', { create_next: false });
  await renewals.move(id, 'reopen');
  expect(await flags()).toMatchObject([{ state: 'open' }, { state: 'cleared', cleared_because: 'date_changed' }]);
});

test('a closed renewal has no days until due and nothing more to alert; a reopened one has again', async () => {
  const { id } = await renewals.create({ due_date: inDays(service, 45) });
  await alerted(service, (await renewals.change(id, { notes: 'x' })).body, ['60']);
  await renewals.move(id, 'start');
  const cancelled = await renewals.move(id, 'cancel');
  expect(cancelled.body).toMatchObject({ days_until_due: null, closed_at: expect.any(String) });
  expect(await renewals.row(id)).toMatchObject({ next_alert_on: null });
  const reopened = await renewals.move(id, 'reopen');
  expect(reopened.body).toMatchObject({ status: 'IN_PROGRESS', days_until_due: 45, closed_at: null });
  // Its rung of 90 was never recorded: the next refresh looks at it.
  expect(await renewals.row(id)).toMatchObject({ next_alert_on: inDays(service, 45 - 90) });
});

test('closed renewals take no change', async () => {
  for (const way of [ways.COMPLETED, ways.CANCELLED]) {
    const { id } = await way();
    expect(await renewals.change(id, { notes: 'late' })).toMatchObject({ status: 409 });
  }
});
