import { messagingFailure } from '@ops/providers/messaging-failure.rules';
import { attemptId } from '../attempt-id.rules.ts';
import { occurredAt } from '../occurred-at.rules.ts';
import type { Item, ReceiptData } from '../provider.ts';
import { type Fields, fields, list, text } from '../untrusted.rules.ts';
import { type Change, idByContent, timeOf } from './change.rules.ts';

const statuses: Record<string, ReceiptData['status']> = {
  sent: 'SENT',
  delivered: 'DELIVERED',
  read: 'READ',
  played: 'READ',
  failed: 'FAILED',
};

/** `statuses[]` of a change: what became of a message of ours, whoever it went to. */
export function readStatus(given: Fields, { account, receivedAt }: Change): Item {
  const name = text(given.status) ?? 'none';
  const status = Object.hasOwn(statuses, name) ? statuses[name] : undefined;
  const externalId = text(given.id);
  if (status === undefined || externalId === undefined)
    return { notUnderstood: `The status ${name} is no receipt`, kind: 'status', external_id: idByContent(given) };
  return {
    receipt: {
      provider: 'cloud-api',
      account,
      external_id: externalId,
      status,
      attempt_id: attemptId(text(given.biz_opaque_callback_data)),
      occurred_at: occurredAt(timeOf(given.timestamp), receivedAt),
      failure: status === 'FAILED' ? failureOf(given) : null,
    },
  };
}

function failureOf(given: Fields): ReceiptData['failure'] {
  const error = fields(list(given.errors)[0]);
  const said = text(fields(error.error_data).details) ?? text(error.message) ?? text(error.title);
  return messagingFailure(text(error.code), said);
}
