import { expect } from '@jest/globals';
import type { Rung } from '@ops/contracts/resources/renewal';
import { responsibleToday } from '@ops/following/agent-service';
import { listTasks } from '../../services/notifier/src/tasks/task-service.ts';
import { type Holding, holdOn } from '../../services/renewals-service/src/renewals/hold.rules.ts';
import { responsibleFor } from '../../services/renewals-service/src/renewals/renewal.rules.ts';
import { findRenewals } from '../../services/renewals-service/src/renewals/watch-service.ts';
import { type End, hasReached, isGoing, isWithin } from '../histories/promises.ts';
import type { Firm } from './firm.ts';
import type { Sent } from './outside.ts';
import { agents } from './people.ts';

/** Of an open renewal the newest alert about its date. */
interface Fired extends Holding {
  id: string;
  due_date: string;
  rung: string;
  step: string;
  decided_at: Date;
  withheld: boolean;
}

/** How each of them stands this evening, by the tables and by what the world outside saw. */
export async function endsOf(firm: Firm): Promise<(Fired & { end: End; tried: unknown })[]> {
  const { rows } = await firm.renewals.db.raw(
    `SELECT DISTINCT ON (r.id) r.id, CAST(r.due_date AS text), a.rung, a.step, a.decided_at, r.withheld, r.status, r.start_released,
       CAST(r.acknowledged_until AS text), CAST(r.answered_until AS text), utc_text(r.started_at) AS started_at
     FROM renewals r JOIN alerts a ON a.renewal_id = r.id AND a.due_date = r.due_date AND a.state = 'FIRED'
     WHERE r.closed_at IS NULL ORDER BY r.id, a.decided_at DESC`,
  );
  const { actions, tasks } = await plansOf(firm);
  const sent = Map.groupBy(firm.outside.sent, ({ record }) => record);
  return rows.map((fired: Fired) => {
    const own = (actions.get(fired.id) ?? []).filter(
      ({ due_date, rung, step }) => due_date === fired.due_date && rung === fired.rung && step === fired.step,
    );
    const hasTask = (tasks.get(fired.id) ?? []).some((task) => isTaken(task, fired));
    const left = own.flatMap(({ record_id }) => sent.get(record_id) ?? []);
    return { ...fired, end: hasTask ? 'task' : endWithout(firm, fired, own, left), tried: own };
  });
}

interface Planned {
  /** The letter that carries it out, or its own message. */
  record_id: string;
  renewal_id: string;
  due_date: string;
  rung: string;
  step: string;
  reason: { code: string } | null;
  /** Of its send, while that waits: until when it is put off. */
  waits_until: Date | null;
}

interface TaskRow {
  renewal_id: string;
  closed_because: string | null;
  closed_at: Date | null;
}

async function plansOf({ notifier: { db } }: Firm) {
  const { rows } = await db.raw<{ rows: Planned[] }>(
    `SELECT coalesce(a.letter_id, a.id) AS record_id, a.renewal_id, CAST(a.due_date AS text), a.rung, a.step, a.reason, s.due_at AS waits_until
     FROM alert_actions a LEFT JOIN sends s ON s.communication_id = coalesce(a.letter_id, a.id) AND s.status = 'QUEUED'
     WHERE a.channel <> 'TASK'`,
  );
  const tasks: TaskRow[] = await db('tasks').whereNotNull('rung').select('renewal_id', 'closed_because', 'closed_at');
  return {
    actions: Map.groupBy(rows, ({ renewal_id }) => renewal_id),
    tasks: Map.groupBy(tasks, ({ renewal_id }) => renewal_id),
  };
}

/** It is open, or somebody has done it since. */
const isTaken = ({ closed_at, closed_because }: TaskRow, { decided_at }: Fired): boolean =>
  closed_at === null || (closed_because === 'done' && closed_at >= decided_at);

function endWithout(firm: Firm, fired: Fired, own: readonly Planned[], left: readonly Sent[]): End {
  const [now, today] = [firm.clock.now(), firm.clock.today()];
  if (left.some(hasReached)) return 'reached';
  if (own.some(({ reason }) => reason?.code === 'silent')) return 'silent';
  if (fired.withheld || holdOn(fired, today)) return 'held';
  const waits = own.some(({ waits_until }) => waits_until && (waits_until > now || isWithin(now, waits_until, 24)));
  return waits || left.some((one) => isGoing(one, now)) ? 'under way' : 'broken';
}

/** Each open task is on the list of one person who is there, or on nobody's; and both services agree on whose it is. */
export async function checkWhose({ notifier, renewals, clock }: Firm): Promise<void> {
  const listOf = async (assigned_agent?: string) => {
    const query = { status: 'OPEN', limit: 500, ...(assigned_agent !== undefined && { assigned_agent }) } as const;
    return (await listTasks(notifier.deps, notifier.db, query)).data;
  };
  const all = await listOf();
  const away = await notifier.db('agents').where('absent_until', '>=', clock.today()).pluck('id');
  const lists = await Promise.all(['', ...agents].map(async (agent) => [agent, await listOf(agent)] as const));
  const listed = lists.flatMap(([agent, tasks]) => tasks.map(({ id }) => [id, agent || null] as const));
  expect(new Map(listed)).toEqual(new Map(all.map(({ id, responsible_agent }) => [id, responsible_agent])));
  expect(listed).toHaveLength(all.length);
  expect(listed.filter(([, agent]) => agent !== null && away.includes(agent))).toEqual([]);
  const responsible = await responsibleToday(renewals.deps, renewals.db);
  const stored = await findRenewals(
    renewals.db,
    all.flatMap(({ renewal_id }) => renewal_id ?? []),
  );
  const of = new Map(stored.map((one) => [one.id, responsibleFor(one, responsible)]));
  for (const { renewal_id, assigned_agent, responsible_agent } of all)
    if (assigned_agent === null && renewal_id)
      expect([renewal_id, responsible_agent]).toEqual([renewal_id, of.get(renewal_id)]);
}

/** What is wrong with letters: of what a run fired each customer gets one a channel, and each renewal is named in one. */
export async function wrongLetters({ notifier: { db } }: Firm): Promise<unknown[]> {
  const { rows } = await db.raw(
    `SELECT customer_id, channel, together, 'several letters' AS wrong FROM alert_actions
     WHERE letter_id IS NOT NULL AND together NOT IN (SELECT communication_id FROM sends)
     GROUP BY customer_id, channel, together HAVING count(DISTINCT letter_id) > 1
     UNION ALL
     SELECT customer_id, channel, letter_id, 'named twice' FROM alert_actions
     WHERE letter_id IS NOT NULL GROUP BY customer_id, channel, letter_id, renewal_id HAVING count(*) > 1
     UNION ALL
     SELECT customer_id, channel, together, 'never written' FROM alert_actions
     WHERE together IS NOT NULL AND NOT carried_out AND channel <> 'TASK'`,
  );
  return rows;
}

interface Waits {
  rung: Rung;
  due_date: string;
  /** Anything to its customer by its channel; if nothing was since, when it was queued. */
  last_tried: Date;
}

const dayMs = 86_400_000;

/**
 * Messages that wait though there was an hour in which they might have left. What is tried again, and what stands behind it,
 * has a day for that. Of what a letter names, the nearest date decides.
 */
export async function lateMessages({ notifier: { db }, clock, hours }: Firm): Promise<unknown[]> {
  const { rows } = await db.raw(
    `SELECT DISTINCT ON (s.id) s.communication_id, s.due_at, a.rung, CAST(a.due_date AS text),
       greatest(s.created_at, (SELECT max(t.ended_at) FROM send_tries t JOIN sends o ON o.id = t.send_id
                               WHERE o.customer_id = s.customer_id AND o.type = s.type)) AS last_tried
     FROM sends s JOIN alert_actions a ON coalesce(a.letter_id, a.id) = s.communication_id
     WHERE s.status = 'QUEUED' ORDER BY s.id, a.due_date`,
  );
  return rows.flatMap(({ last_tried, ...one }: Waits) => {
    const missed = hours.missed(new Date(last_tried.getTime() + dayMs), clock.now(), one);
    return missed ? [{ ...one, missed }] : [];
  });
}
