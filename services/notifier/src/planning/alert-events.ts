import type { NewEvent } from '@ops/bus/outbox';
import { type Action, recordOf } from './alert-actions.rules.ts';
import type { Words } from './words.rules.ts';

const sendAfter = ({ send_after }: Action): string | null => send_after && new Date(send_after).toISOString();

/** What the alert led to on this channel, or why to nothing. There is a record of what was handed over, and of nothing else. */
export function alertPlanned(action: Action, communication_id: string | null, at: Date): NewEvent<'alert.planned'> {
  const { customer_id, renewal_id, due_date, rung, step, channel, outcome, instead_of, reason, task_id } = action;
  const { send_after_reason } = action;
  return {
    type: 'alert.planned',
    data: {
      customer_id,
      renewal_id,
      due_date,
      rung,
      step,
      channel,
      outcome,
      instead_of,
      reason,
      communication_id,
      task_id,
      send_after: sendAfter(action),
      send_after_reason,
      occurred_at: at.toISOString(),
    },
  };
}

/**
 * Of several that go together the first is the most urgent. The record is written under the id that one's renewal was made under:
 * should that be taken for another customer's again, it goes along.
 */
export function communicationSend(
  actions: readonly [Action, ...Action[]],
  { customer_id, ...words }: Words & { customer_id: string },
  at: Date,
): NewEvent<'communication.send'> {
  const [action] = actions;
  const { channel: type, renewal_id, rung, send_after_reason } = action;
  if (type === 'TASK') throw new Error('a task is not sent');
  const send_id = recordOf(action);
  const renewal_ids = [...new Set(actions.map((one) => one.renewal_id))];
  const when = { send_after: sendAfter(action), send_after_reason, occurred_at: at.toISOString() };
  return {
    type: 'communication.send',
    data: { send_id, customer_id, type, ...words, renewal_id, renewal_ids, rung, ...when },
  };
}
