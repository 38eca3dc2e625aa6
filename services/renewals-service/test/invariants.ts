import { createHash } from 'node:crypto';
import { expect } from '@jest/globals';
import { daysBetween } from '@ops/contracts/dates';
import type { EventData } from '@ops/contracts/events';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { holdOn, isOwed, nextLookOn, type Owing } from '../src/renewals/hold.rules.ts';
import { nextAlertOn, reached } from '../src/renewals/rungs.rules.ts';
import { nextStep } from '../src/renewals/sequence.rules.ts';
import type { World } from './world.ts';

export type Alert = EventData<'renewal.outreach'>;

/** Of each date its rungs that fired, and what went out at them afterwards: after a hold, or as a step that follows. */
export interface Alerts {
  rungs: Map<string, Rung[]>;
  afterwards: Set<string>;
}

/**
 * Each rung of each date once, none looser than one before it, and one a night; afterwards at one that fired already, the
 * tightest, each step once, and never while it is held. Answers those of which a hold keeps the messages back.
 */
export async function rememberAlerts(world: World, { rungs: alerted, afterwards }: Alerts): Promise<Alert[]> {
  const tonight = new Set<string>();
  const held: Alert[] = [];
  for (const { type, data } of await world.told()) {
    if (type === 'renewal.outreach') {
      const { renewal_id, due_date, rung, step, hold } = data as Alert;
      const which = `${renewal_id} ${due_date}`;
      const key = `${which} ${rung} ${step}`;
      expect([afterwards.has(key), hold, tonight.has(which)]).toEqual([false, null, false]);
      if (/^\d$/.test(step)) expect(alerted.get(which)?.at(-1)).toBe(rung);
      tonight.add(which);
      afterwards.add(key);
    }
    if (type !== 'RENEWAL_TRIGGERED') continue;
    const alert = { step: '0', ...data } as Alert;
    if (alert.hold && !alert.silent) held.push(alert);
    const { renewal_id, due_date, rung, days_until_due } = data as EventData<'RENEWAL_TRIGGERED'>;
    const which = `${renewal_id} ${due_date}`;
    const before = alerted.get(which) ?? [];
    for (const one of before) expect(rungs.indexOf(rung)).toBeGreaterThan(rungs.indexOf(one));
    expect([days_until_due, tonight.has(which)]).toEqual([daysBetween(world.deps.today(), due_date), false]);
    tonight.add(which);
    alerted.set(which, [...before, rung]);
  }
  const [fired] = await world.db('alerts').where({ state: 'FIRED' }).count({ n: '*' });
  const rungsFired = [...alerted.values()].reduce((sum, list) => sum + list.length, 0);
  expect(Number(fired?.n)).toBe(rungsFired + afterwards.size);
  return held;
}

export const closedOnes = async ({ db }: World) =>
  await db('renewals').whereNotNull('closed_at').orderBy('id').select('id', 'status', 'version', 'next_alert_on');

/** The last refresh was of today. */
export async function checkAll({ db, deps }: World): Promise<void> {
  const today = deps.today();
  expect((await db('refreshed').first('as_of')).as_of).toBe(today);
  const { rows } = await db.raw(
    `SELECT r.id, r.due_date, r.status, r.next_alert_on, r.closed_at, r.withheld, r.known_after_alert, r.sequence, r.start_released, r.acknowledged_until,
       r.answered_until, utc_text(r.started_at) AS started_at,
       (SELECT count(*)::int FROM compliance_flags f WHERE f.renewal_id = r.id AND f.cleared_at IS NULL) AS flags,
       ARRAY(SELECT a.rung FROM alerts a WHERE a.renewal_id = r.id AND a.due_date = r.due_date AND a.step = '0') AS recorded
     FROM renewals r`,
  );
  const wrong = rows.filter((row: Row) => !holds(row, today));
  expect(wrong).toEqual([]);
}

interface Row extends Owing {
  due_date: string;
  next_alert_on: string | null;
  closed_at: Date | null;
  flags: number;
  recorded: Rung[];
}

function holds(row: Row, today: string): boolean {
  const { due_date, status, next_alert_on, closed_at, flags, recorded, withheld } = row;
  if (closed_at !== null) return next_alert_on === null && flags === 0;
  const days = daysBetween(today, due_date);
  const next = nextLookOn(nextAlertOn(due_date, recorded, days < 0), row, today);
  // Starting it leaves the day on which the hold before would have ended: one look, that finds nothing to do.
  const isStartedOwing = isOwed(row) && holdOn(row, today)?.because === 'started';
  return (
    reached(days).every((rung) => recorded.includes(rung)) &&
    (status === 'OVERDUE') === days < 0 &&
    flags === (days < 0 ? 1 : 0) &&
    (!withheld || holdOn(row, today) !== null) &&
    (nextStep(row.sequence) === undefined || holdOn(row, today) === null) &&
    (next_alert_on === next || (isStartedOwing && next_alert_on !== null && (next === null || next_alert_on < next))) &&
    (next_alert_on === null || next_alert_on > today)
  );
}

/** Of ledger, renewals, flags and runs, whichever ids they were given: those are new each time. */
export async function digestOf({ db }: World, ids: readonly string[]): Promise<string> {
  const nth = new Map(ids.map((id, n) => [id, n]));
  const parts = await Promise.all([
    db('alerts').select('renewal_id', 'due_date', 'rung', 'step', 'state', 'because', 'days_until_due', 'decided_at'),
    db('renewals').select(
      'id AS renewal_id',
      'due_date',
      'status',
      'version',
      'next_alert_on',
      'sequence',
      'updated_at',
    ),
    db('compliance_flags').select('renewal_id', 'due_date', 'raised_at', 'cleared_at', 'cleared_because'),
    db('refresh_runs').select('as_of', 'status', 'counts', 'started_at', 'finished_at'),
  ]);
  const lines = parts.flatMap((rows, part) =>
    rows.map(({ renewal_id, ...row }) => JSON.stringify([part, nth.get(renewal_id), row])),
  );
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 16);
}
