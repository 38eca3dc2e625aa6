import type { NewEvent } from '@ops/bus/outbox';
import type { Action } from './alert-actions.rules.ts';
import type { Words } from './words.rules.ts';

const sendAfter = ({ send_after }: Action): string | null => send_after && new Date(send_after).toISOString();

/** What the alert led to on this channel, or why to nothing. There is a record of what was handed over, and of nothing else. */
export function alertPlanned(action: Action, communication_id: string | null, at: Date): NewEvent<'alert.planned'> {
  const { customer_id, renewal_id, due_date, rung, channel, outcome, instead_of, reason, task_id } = action;
  return {
    type: 'alert.planned',
    data: {
      customer_id,
      renewal_id,
      due_date,
      rung,
      channel,
      outcome,
      instead_of,
      reason,
      communication_id,
      task_id,
      send_after: sendAfter(action),
      occurred_at: at.toISOString(),
    },
  };
}

export function communicationSend(action: Action, words: Words, at: Date): NewEvent<'communication.send'> {
  const { id: send_id, customer_id, channel: type, renewal_id, rung } = action;
  if (type === 'TASK') throw new Error('a task is not sent');
  const data = { send_id, customer_id, type, ...words, renewal_id, rung, send_after: sendAfter(action) };
  return { type: 'communication.send', data: { ...data, occurred_at: at.toISOString() } };
}
