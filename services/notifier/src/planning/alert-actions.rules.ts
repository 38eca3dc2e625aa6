import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { type Carrier, carrierOf, type Decision, isMessage } from './planning.rules.ts';

/** What was decided for one channel of one alert. */
export interface Action extends Decision {
  id: string;
  renewal_id: string;
  due_date: string;
  rung: Rung;
  customer_id: string;
  /** As the renewal's service type was called when the alert fired. */
  service_label: string;
  carried_out: boolean;
  send_after: Date | null;
  task_id: string | null;
}

export interface AlertKey {
  renewal_id: string;
  due_date: string;
  rung: Rung;
}

export const keyOf = ({ renewal_id, due_date, rung }: AlertKey): string => `${renewal_id} ${due_date} ${rung}`;

/** What is to be done of an alert, as it was decided. */
export const newAction = (
  id: string,
  decision: Decision,
  { renewal_id, due_date, rung, customer_id, service_label }: About,
): Action => ({
  id,
  renewal_id,
  due_date,
  rung,
  customer_id,
  service_label,
  ...decision,
  carried_out: false,
  send_after: null,
  task_id: null,
});

type About = Pick<Action, 'renewal_id' | 'due_date' | 'rung' | 'customer_id' | 'service_label'>;

/** Of what was decided now, what had not been decided of the alert before. */
export const notYet = (before: readonly Action[], decisions: readonly Decision[]): Decision[] =>
  decisions.filter((one) => !before.some(({ channel }) => channel === one.channel));

/**
 * What had been decided, after what was decided now: a task that is there already is not made twice; what it has to say more
 * is noted in it, and it is to be carried out again.
 */
export const noted = (before: readonly Action[], decisions: readonly Decision[]): Action[] =>
  before.map((known) => {
    const more = decisions.find(({ channel }) => channel === known.channel);
    return more?.outcome === 'planned' && more.reason ? { ...known, reason: more.reason, carried_out: false } : known;
  });

/** These actions in the place of what they were. */
export const replaced = (actions: readonly Action[], changed: readonly Action[]): Action[] =>
  actions.map((one) => changed.find(({ id }) => id === one.id) ?? one);

/** That nobody was written to is said in the alert's task by whoever finds it out: its own queue may have been there. */
export const isUnsaid = ({ channel, outcome, reason, carried_out }: Action): boolean =>
  channel === 'TASK' && outcome === 'planned' && reason !== null && !carried_out;

export const isTurnOf = (carrier: Carrier, action: Action): boolean =>
  isUnsaid(action) || (!action.carried_out && carrierOf(action) === carrier);

type ByAlert = ReadonlyMap<string, readonly Action[]>;

/** The most urgent of the tighter alerts about the same date that write to the customer. */
export function tighterThan({ renewal_id, due_date, rung }: AlertKey, actions: ByAlert): Rung | undefined {
  const tighter = rungs.slice(rungs.indexOf(rung) + 1);
  return tighter.findLast((one) => actions.get(keyOf({ renewal_id, due_date, rung: one }))?.some(writes));
}

const writes = (action: Action): boolean => isMessage(action) && action.outcome === 'planned';

/** Messages that were handed over, and are of less use than what a tighter alert says. */
export const overtaken = (actions: ByAlert): { action: Action; by: Rung }[] =>
  [...actions.values()].flat().flatMap((action) => {
    const by = writes(action) && action.carried_out ? tighterThan(action, actions) : undefined;
    return by ? [{ action, by }] : [];
  });
