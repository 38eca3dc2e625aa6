import { daysBetween, type PlainDate } from '@ops/contracts/dates';
import type { RiskReason } from '@ops/contracts/resources/renewal';
import type { Responsible } from '@ops/contracts/responsible';

/** Renewals that are due later may have nobody at them. */
export const nearDays = 30;
/** An answer of the customer or a start that is older says nothing any more. */
export const freshDays = 14;
/** The clocks of two services may differ by as much. */
export const skewMs = 60_000;

const dayMs = 86_400_000;

/** What is known of a renewal that says whether somebody, or the customer, is at it. */
export interface RiskFacts {
  isActive: boolean;
  due_date: PlainDate;
  started_at: Date | null;
  /** Of each of its open tasks whose it is; null: nobody's. */
  task_owners: readonly (string | null)[];
  /** When an alert about it last fired; null: none has. */
  last_rung_at: Date | null;
  /** The latest message about it that reached the customer. */
  reached_at: Date | null;
  /** What a person answered about it last. */
  answered_at: Date | null;
}

export interface RiskMoment {
  now: Date;
  /** The firm's business date. */
  today: PlainDate;
  responsible: Responsible;
}

/** Why it may be missed: nothing of what would save it is there. None: something is, or there is time. */
export function riskReasons(facts: RiskFacts, moment: RiskMoment): RiskReason[] {
  if (!facts.isActive || daysBetween(moment.today, facts.due_date) > nearDays) return [];
  if (facts.task_owners.some((owner) => moment.responsible.open(owner) !== null)) return [];
  if (isReached(facts) || isTakenUp(facts, freshSince(moment.now))) return [];
  return [...whyNoTask(facts, moment), 'nothing_reached', 'no_answer'];
}

/** The first moment of an answer or a start that counts. */
const freshSince = (now: Date): Date => new Date(now.getTime() - freshDays * dayMs);

const isReached = ({ reached_at, last_rung_at }: RiskFacts): boolean =>
  reached_at !== null && (last_rung_at === null || reached_at.getTime() >= last_rung_at.getTime() - skewMs);

const isTakenUp = ({ answered_at, started_at }: RiskFacts, since: Date): boolean =>
  [answered_at, started_at].some((at) => at !== null && at >= since);

/** Of several tasks all that is wrong with them; what is of somebody nobody knows is nobody's. */
function whyNoTask({ task_owners }: RiskFacts, { responsible }: RiskMoment): RiskReason[] {
  if (task_owners.length === 0) return ['no_task'];
  const isAbsent = (owner: string | null) => responsible.closed(owner) !== null;
  return [
    ...(task_owners.every(isAbsent) ? [] : ['task_unassigned' as const]),
    ...(task_owners.some(isAbsent) ? ['agent_absent' as const] : []),
  ];
}
