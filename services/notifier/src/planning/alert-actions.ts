import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { v7 as uuidv7 } from 'uuid';
import { type Action, type AlertKey, keyOf } from './action-store.ts';
import { type Carrier, carrierOf, type Decision, isMessage } from './planning.ts';

type About = Pick<Action, 'renewal_id' | 'due_date' | 'rung' | 'customer_id' | 'service_label'>;

/**
 * What was decided now beside what had been decided of an alert. A task that is there already is not made twice: what it
 * has to say more is noted in it, and it is to be carried out again.
 */
export function addedTo(before: readonly Action[], decisions: readonly Decision[], about: About): Action[] {
  const { renewal_id, due_date, rung, customer_id, service_label } = about;
  const open = { carried_out: false, send_after: null, task_id: null };
  return decisions.flatMap((one) => {
    const known = before.find(({ channel }) => channel === one.channel);
    if (known && one.outcome === 'planned' && one.reason)
      Object.assign(known, { reason: one.reason, carried_out: false });
    return known ? [] : [{ id: uuidv7(), renewal_id, due_date, rung, customer_id, service_label, ...one, ...open }];
  });
}

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
