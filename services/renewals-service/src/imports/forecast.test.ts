import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { AwaitedAlerts, ForeseenAlert } from '@ops/contracts/internal-routes';
import type { ImportForecast } from '@ops/contracts/resources/import';
import { csv, importing } from '../../test/import.ts';
import { inDays } from '../../test/renewals.ts';
import { firstDay, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let files: ReturnType<typeof importing>;

beforeAll(async () => {
  service = await startTestService();
  files = importing(service);
  service.customers.add({ id: 'C-1' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  service.clock.set(`${firstDay}T12:00:00Z`);
  service.notifier.away(false);
  service.notifier.foreseeing = byThePlan;
});

/** A plan of one message an alert, and tasks from two weeks on; what follows an alert does what it does. */
const byThePlan = ({ rung, silent, does }: Pick<Awaited, 'rung' | 'silent' | 'does'>): ForeseenAlert => ({
  messages: silent || does?.channels.length === 0 ? 0 : 1,
  task: does ? does.task !== null : ['14', '7', 'OVERDUE'].includes(rung),
  leaves: null,
});
type Awaited = AwaitedAlerts['alerts'][number];

const columns = 'customer_id,service_type,due_date,external_id,reminders';
const row = (days: number, n = days) => `C-1,WORK_PERMIT,${inDays(service, days)},X-${n},`;
const tomorrow = addDays(firstDay, 1);

test('says what its rows lead to, tonight and within thirty days, and not what refused ones would', async () => {
  const file = csv(columns, row(6), row(-10), row(20), row(200), 'C-9,WORK_PERMIT,2026-03-04,X-9,');
  expect((await files.look(file)).forecast).toEqual({
    as_of: tomorrow,
    tonight: { tasks: 2, flags: 1, messages: 0 },
    next_30_days: { tasks: 3, flags: 3, messages: 4 },
  });
  expect((await files.look(file, '?seed_alerts=urgent-only')).forecast).toEqual({
    as_of: tomorrow,
    tonight: { tasks: 2, flags: 1, messages: 2 },
    next_30_days: { tasks: 3, flags: 3, messages: 6 },
  });
});

test('what follows the alert of 60 days is counted, a message each and the call as a task, as far as it comes within thirty days', async () => {
  const within = async (...rows: string[]) => (await files.look(csv(columns, ...rows))).forecast?.next_30_days;
  expect(await within(row(61))).toEqual({ tasks: 1, flags: 0, messages: 4 });
  expect(await within(row(75))).toEqual({ tasks: 0, flags: 0, messages: 3 });
});

test('while notifier is away it says nothing of tasks and messages, and the file is looked through all the same', async () => {
  service.notifier.away(true);
  expect(await files.look(csv(columns, row(-10), row(20)))).toMatchObject({
    status: 'CHECKED',
    forecast: {
      tonight: { tasks: null, flags: 1, messages: null },
      next_30_days: { tasks: null, flags: 2, messages: null },
    },
  });
});

const near = [-40, -1, 0, 1, 5, 6, 7, 8, 14, 15, 20, 29, 30, 31, 32, 45, 60, 61, 91, 92, 120];

test.each(['silent', 'urgent-only'] as const)('what it says is what the nights do, %s', async (seed) => {
  const query = `?seed_alerts=${seed}`;
  // Some that are there already, alerted by the night before, and moved by the file.
  const moved = [3, 10, 25, 28, 70, 100];
  await files.take(csv(columns, ...moved.map((days) => row(days))), '&seed_alerts=urgent-only');
  await refresh(firstDay);
  const back = moved.map((days, n) => row([5, -3, 24, 13, 40, 8][n] as number, days));
  const looked = await files.look(csv(columns, ...near.map((days, n) => row(days, 1000 + n)), ...back), query);
  await files.apply(looked.id);
  await files.settled(looked.id);

  const past = await nightsPast(30);
  const { as_of, tonight, next_30_days } = looked.forecast as ImportForecast;
  expect({ as_of, tonight, next_30_days }).toEqual({ as_of: tomorrow, tonight: past[0], next_30_days: past.at(-1) });
});

async function refresh(date: string): Promise<void> {
  service.clock.set(`${date}T12:00:00Z`);
  expect((await service.post(staff, '/ops/renewals/refresh')).status).toBe(200);
}

const alertTypes = ['RENEWAL_TRIGGERED', 'renewal.outreach'];

/** What was done by the end of each night from tomorrow on. */
async function nightsPast(count: number) {
  await service.forgetEvents();
  const flagsBefore = await flags();
  const nights: object[] = [];
  for (let n = 0; n <= count; n++) {
    await refresh(addDays(tomorrow, n));
    const told = (await service.events()).filter(({ type }) => alertTypes.includes(type));
    const alerts = told.map(({ data }) => ({ does: null, ...data }) as { renewal_id: string } & Awaited);
    const done = alerts.map((data) => ({ id: data.renewal_id, ...byThePlan(data) }));
    nights.push({
      tasks: new Set(done.filter(({ task }) => task).map(({ id }) => id)).size,
      flags: (await flags()) - flagsBefore,
      messages: done.reduce((sum, { messages }) => sum + messages, 0),
    });
  }
  return nights;
}

const flags = async () => Number((await service.db('compliance_flags').count())[0]?.count);
