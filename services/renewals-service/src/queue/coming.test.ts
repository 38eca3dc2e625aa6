import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { AwaitedAlerts } from '@ops/contracts/internal-routes';
import type { RenewalDetail } from '@ops/contracts/resources/renewal';
import { inTransaction } from '@ops/service-kit/database';
import { at } from '../../test/renewals.ts';
import { firstDay, staff, startTestService, type TestService } from '../../test/service.ts';
import { planned } from '../../test/statements-told.ts';
import { takeOutcomes } from '../alert-outcomes/alert-service.ts';

let service: TestService;
let renewals: ReturnType<typeof at>;
beforeAll(async () => {
  service = await startTestService();
  renewals = at(service);
  service.customers.add({ id: 'C-1' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  service.clock.set(`${firstDay}T12:00:00Z`);
  service.notifier.away(false);
  service.notifier.foreseeing = () => ({ messages: 1, task: false, leaves: null });
});

const day = (after: number) => addDays(firstDay, after);
const detail = async (id: string) => (await service.get<RenewalDetail>(staff, `/ops/renewals/${id}`)).body;
const said = async (id: string) => (await detail(id)).to_come.map(({ rung, step, on }) => [on, rung, step]);

/** A night after which it is heard that holds kept messages back. */
async function night(date: string): Promise<void> {
  service.clock.set(`${date}T02:00:00Z`);
  expect((await service.post(staff, '/ops/renewals/refresh')).status).toBe(200);
  const reason = { code: 'held', message: 'Somebody is at it' };
  const held = (await service.events()).filter(({ type, data }) => type === 'RENEWAL_TRIGGERED' && data.hold !== null);
  const kept = held.flatMap(({ data: { renewal_id, due_date, rung, silent } }) =>
    silent ? [] : [planned({ renewal_id, due_date, rung, outcome: 'not_sent', reason } as never, `${date}T02:00:01Z`)],
  );
  await inTransaction(service.db, (trx) => takeOutcomes(service.deps, trx, kept));
  await service.forgetEvents();
}

const patch = (id: string, change: object) => service.db('renewals').where({ id }).update(change);

test('what is to come of a renewal is what the nights then decide', async () => {
  const due = (days: number) => renewals.create({ due_date: day(days), service_type: `DEMO_${days + 9}` });
  const all = [await due(75), await due(61), await due(3), await due(-2), await due(40), await due(100), await due(63)];
  const [, , , , silent, put, followed, ...others] = [...all, await due(64), await due(74)];
  const [answered, started] = others as typeof all;
  await patch(silent?.id ?? '', { silent_through: '60' });
  await service.patch(staff, `/ops/renewals/${put?.id}/acknowledge`, { until: day(20) });
  for (const after of [1, 9]) await night(day(after));
  await patch(answered?.id ?? '', { answered_until: day(18) });
  await renewals.move(started?.id ?? '', 'start');
  await service
    .db('renewals')
    .where({ id: followed?.id })
    .update({ known_after_alert: true, next_alert_on: day(9) });

  const watched = [...all, answered, started].map((one) => one?.id ?? '');
  const before = new Map(await Promise.all(watched.map(async (id) => [id, await said(id)] as const)));
  // What a night should not do would be done by the next of these.
  const told = new Set([...before.values()].flatMap((coming) => coming.map(([on]) => on as string)));
  for (const date of [...told, day(104)].toSorted()) await night(date);
  for (const [n, id] of watched.entries()) {
    const decided = (await detail(id)).alerts.filter(
      ({ state, decided_at }) => state === 'FIRED' && decided_at > day(10),
    );
    const gone = decided.map(({ rung, step, decided_at }) => [decided_at.slice(0, 10), rung, step]);
    expect([n, before.get(id)]).toEqual([n, gone.toReversed()]);
    expect(await said(id)).toEqual([]);
  }
  const steps = new Set([...before.values()].flat().map(([, , step]) => step));
  expect([...steps].toSorted()).toEqual(['0', '1', '2', '3', 'after_hold', 'customer_known']);
});

test('each says when its message leaves and why then, as notifier does; while that is away, only the night', async () => {
  const asked: AwaitedAlerts['alerts'] = [];
  const send_after_reason = { code: 'closed_days', message: 'weekend' };
  service.notifier.foreseeing = (alert) => {
    asked.push(alert);
    const leaves = { send_after: `${alert.on}T08:00:00.000Z`, send_after_reason };
    return { messages: 1, task: false, leaves: alert.rung === '7' ? null : leaves };
  };
  const { id } = await renewals.create({ due_date: day(20) });
  const to_come = [
    {
      rung: '30',
      on: day(1),
      step: '0',
      does: null,
      leaves: { send_after: `${day(1)}T08:00:00.000Z`, send_after_reason },
    },
    { rung: '14', on: day(6), leaves: { send_after: `${day(6)}T08:00:00.000Z`, send_after_reason } },
    { rung: '7', on: day(13), leaves: null },
    { rung: 'OVERDUE', on: day(21), leaves: { send_after: `${day(21)}T08:00:00.000Z`, send_after_reason } },
  ];
  expect((await detail(id)).to_come).toMatchObject(to_come);
  expect(asked.map(({ silent }) => silent)).toEqual([false, false, false, false]);
  service.notifier.away(true);
  expect((await detail(id)).to_come).toMatchObject(to_come.map((one) => ({ ...one, leaves: null })));
  await renewals.move(id, 'complete');
  expect((await detail(id)).to_come).toEqual([]);
});

test('of what is a task alone a hold keeps nothing back to come later', async () => {
  const { id } = await renewals.create({ due_date: day(31) });
  await service.patch(staff, `/ops/renewals/${id}/acknowledge`, { until: day(5) });
  const coming = async () => (await said(id)).map(([, ...which]) => which);
  const ladder = ['30', '14', '7', 'OVERDUE'].map((rung) => [rung, '0']);
  expect(await coming()).toEqual([ladder[0], ['30', 'after_hold'], ...ladder.slice(1)]);
  service.notifier.foreseeing = ({ rung }) => ({ messages: rung === '30' ? 0 : 1, task: true, leaves: null });
  expect(await coming()).toEqual(ladder);
  service.notifier.away(true);
  expect(await coming()).toContainEqual(['30', 'after_hold']);
});
