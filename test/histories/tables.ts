import type { JournalEntry } from '@ops/provider-sim/test/simulator';
import type { System } from '@ops/test-system/system';
import type { Action } from '../../services/notifier/src/planning/alert-actions.rules.ts';
import { type Holding, holdOn } from '../../services/renewals-service/src/renewals/hold.rules.ts';

/** The renewals it names, by their service types. */
export const namedIn = ({ text }: JournalEntry): string[] => [...new Set(text.match(/DEMO_\d{6}/g))];

/** How often each was written about by each channel. */
export function leftOf(journal: readonly JournalEntry[]): Map<string, number> {
  const named = journal.flatMap((one) => namedIn(one).map((type) => `${type} ${one.channel}`));
  return new Map([...Map.groupBy(named, (one) => one)].map(([type, all]) => [type, all.length]));
}

interface Fired extends Holding {
  id: string;
  due_date: string;
  rung: string;
  step: string;
  withheld: boolean;
}

interface Ended extends Fired {
  tried: unknown[];
  end: 'task' | 'reached' | 'held' | 'broken';
}

/** Of each open renewal the newest alert about its date, and how it ended, by the tables of all services. */
export async function ends(system: System, today: string): Promise<Ended[]> {
  const [renewals, notifier, comms] = (['renewals', 'notifier', 'comms'] as const).map((one) => system.database(one));
  if (!renewals || !notifier || !comms) return [];
  const { rows } = await renewals.raw(
    `SELECT DISTINCT ON (r.id) r.id, CAST(r.due_date AS text), a.rung, a.step, r.withheld, r.status, r.start_released,
       CAST(r.acknowledged_until AS text), CAST(r.answered_until AS text), utc_text(r.started_at) AS started_at, a.decided_at FROM renewals r
     JOIN alerts a ON a.renewal_id = r.id AND a.due_date = r.due_date AND a.state = 'FIRED'
     WHERE r.closed_at IS NULL ORDER BY r.id, a.decided_at DESC`,
  );
  const tasks = await notifier('tasks').whereNotNull('rung').select('renewal_id', 'status');
  const { rows: actions }: { rows: Action[] } = await notifier.raw(
    `SELECT a.*, CAST(a.due_date AS text) FROM alert_actions a WHERE a.channel <> 'TASK'`,
  );
  const records = await comms('communications').select('id', 'type', 'status');
  const statusOf = new Map(records.map((one) => [one.id, `${one.type} ${one.status}`]));
  const statusIn = ({ id, letter_id }: Action) => statusOf.get(letter_id ?? id);
  const hasReached = (one: Action) => /DELIVERED|READ|(EMAIL|SMS) SENT/.test(statusIn(one) ?? '');
  return rows.map((alert: Fired) => {
    const own = actions.filter(
      (one) =>
        one.renewal_id === alert.id &&
        one.due_date === alert.due_date &&
        one.rung === alert.rung &&
        one.step === alert.step,
    );
    const isTask = tasks.some((one) => one.renewal_id === alert.id && one.status === 'OPEN');
    const end = isTask
      ? 'task'
      : own.some(hasReached)
        ? 'reached'
        : alert.withheld || holdOn(alert, today)
          ? 'held'
          : 'broken';
    const tried = own.map((one) => [one.channel, one.outcome, one.reason?.code, statusIn(one)]);
    return { ...alert, tried, end };
  });
}

interface Databases {
  database(owner: 'notifier'): ReturnType<System['database']>;
}

/** What was planned or not without saying why, twice, or left though it was held. */
export async function wrongActions(system: Databases): Promise<unknown[]> {
  const { rows } = await system.database('notifier').raw(
    `SELECT a.id, a.rung, a.step, a.channel, a.outcome, 'no reason' AS wrong FROM alert_actions a
     WHERE a.outcome <> 'planned' AND a.reason IS NULL
     UNION ALL
     SELECT a.id, a.rung, a.step, a.channel, a.outcome, 'left while held' FROM alert_actions a
     JOIN sends s ON s.communication_id = coalesce(a.letter_id, a.id) AND s.status <> 'CANCELLED' WHERE a.reason->>'code' = 'held'
     UNION ALL
     SELECT max(a.id::text)::uuid, a.rung, a.step, a.channel, max(a.outcome), 'twice' FROM alert_actions a
     GROUP BY a.renewal_id, a.due_date, a.rung, a.step, a.channel HAVING count(*) > 1`,
  );
  return rows;
}

/** What upstream ended, and nobody is told once to confirm it with the customer. */
export async function unconfirmedEndings(system: System): Promise<unknown[]> {
  const ended = { cancel_reason: 'upstream' };
  const renewals = await system.database('renewals')('renewals').where(ended).select('customer_id', 'source_id');
  const tasks = await system.database('notifier')('tasks').where({ renewal_id: null }).select('customer_id', 'title');
  return renewals.filter(({ customer_id, source_id }) => {
    const isIts = (one: (typeof tasks)[number]) => one.customer_id === customer_id && one.title.includes(source_id);
    return tasks.filter(isIts).length !== 1;
  });
}
