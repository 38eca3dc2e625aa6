import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { daysBetween } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { nextAlertOn, reached } from '../src/renewals/rungs.rules.ts';
import type { World } from './world.ts';

/** Each rung of each date once, none looser than one before it, and one a night. */
export async function rememberAlerts(world: World, alerted: Map<string, Rung[]>): Promise<void> {
  const tonight = new Set<string>();
  for (const { type, data } of await world.told()) {
    if (type !== 'RENEWAL_TRIGGERED') continue;
    const { renewal_id, due_date, rung, days_until_due } = data as EventData<'RENEWAL_TRIGGERED'>;
    const which = `${renewal_id} ${due_date}`;
    const before = alerted.get(which) ?? [];
    for (const one of before) expect(rungs.indexOf(rung)).toBeGreaterThan(rungs.indexOf(one));
    expect([days_until_due, tonight.has(which)]).toEqual([daysBetween(world.deps.today(), due_date), false]);
    tonight.add(which);
    alerted.set(which, [...before, rung]);
  }
  const [fired] = await world.db('alerts').where({ state: 'FIRED' }).count({ n: '*' });
  expect(Number(fired?.n)).toBe([...alerted.values()].reduce((sum, list) => sum + list.length, 0));
}

export const closedOnes = async ({ db }: World) =>
  await db('renewals').whereNotNull('closed_at').orderBy('id').select('id', 'status', 'version', 'next_alert_on');

/** The last refresh was of today. */
export async function checkAll({ db, deps }: World): Promise<void> {
  const today = deps.today();
  expect((await db('refreshed').first('as_of')).as_of).toBe(today);
  const { rows } = await db.raw(
    `SELECT r.id, r.due_date, r.status, r.next_alert_on, r.closed_at,
       (SELECT count(*)::int FROM compliance_flags f WHERE f.renewal_id = r.id AND f.cleared_at IS NULL) AS flags,
       ARRAY(SELECT a.rung FROM alerts a WHERE a.renewal_id = r.id AND a.due_date = r.due_date) AS recorded
     FROM renewals r`,
  );
  const wrong = rows.filter((row: Row) => !holds(row, today));
  expect(wrong).toEqual([]);
}

interface Row {
  due_date: string;
  status: string;
  next_alert_on: string | null;
  closed_at: Date | null;
  flags: number;
  recorded: Rung[];
}

function holds({ due_date, status, next_alert_on, closed_at, flags, recorded }: Row, today: string): boolean {
  if (closed_at !== null) return next_alert_on === null && flags === 0;
  const days = daysBetween(today, due_date);
  return (
    reached(days).every((rung) => recorded.includes(rung)) &&
    (status === 'OVERDUE') === days < 0 &&
    flags === (days < 0 ? 1 : 0) &&
    next_alert_on === nextAlertOn(due_date, recorded, days < 0) &&
    (next_alert_on === null || next_alert_on > today)
  );
}

/** Of ledger, renewals, flags and runs, whichever ids they were given: those are new each time. */
export async function digestOf({ db }: World, ids: readonly string[]): Promise<string> {
  const nth = new Map(ids.map((id, n) => [id, n]));
  const parts = await Promise.all([
    db('alerts').select('renewal_id', 'due_date', 'rung', 'state', 'days_until_due', 'decided_at'),
    db('renewals').select('id AS renewal_id', 'due_date', 'status', 'version', 'next_alert_on', 'updated_at'),
    db('compliance_flags').select('renewal_id', 'due_date', 'raised_at', 'cleared_at', 'cleared_because'),
    db('refresh_runs').select('as_of', 'status', 'counts', 'started_at', 'finished_at'),
  ]);
  const lines = parts.flatMap((rows, part) =>
    rows.map(({ renewal_id, ...row }) => JSON.stringify([part, nth.get(renewal_id), row])),
  );
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 16);
}
