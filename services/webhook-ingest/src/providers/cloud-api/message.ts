import { occurredAt } from '../occurred-at.ts';
import type { Item, MessageData } from '../provider.ts';
import { type Fields, fields, text } from '../untrusted.ts';
import { type Change, idByContent, timeOf } from './change.ts';
import { contentOf } from './content.ts';
import { identityAfter, systemSender } from './identity-change.ts';
import { senderKey, senderOf } from './sender.ts';

/** `messages[]` of a change. Whatever a person sent becomes a message, if only one that says we cannot show it. */
export function readMessage(message: Fields, change: Change): Item {
  const type = text(message.type) ?? 'unknown';
  const externalId = text(message.id) ?? idByContent(message);
  if (type === 'request_welcome')
    return { notUnderstood: 'A chat was opened and nothing written', kind: type, external_id: externalId };
  // What went wrong may stand beside the message it is about.
  const whole = { errors: change.value.errors, ...message };
  return { message: { ...commonOf(message, change, externalId), ...specificOf(type, whole) } };
}

function commonOf(message: Fields, { account, ourNumber, value, receivedAt }: Change, externalId: string): MessageData {
  const sender = message.type === 'system' ? systemSender(message, value) : senderOf(message, value);
  const context = fields(message.context);
  return {
    provider: 'cloud-api',
    account,
    kind: 'message',
    channel: 'MESSAGING_APP',
    external_id: externalId,
    occurred_at: occurredAt(timeOf(message.timestamp), receivedAt),
    sender_key: senderKey(sender, externalId),
    sender,
    recipient: text(message.group_id) ?? ourNumber,
    subject: null,
    body: '',
    parts: [],
    answers: { external_ids: idsOf(context.id), token: null },
    target_external_id: null,
    emoji: null,
    new_identity: null,
    automatic: false,
  };
}

type Specific = Partial<MessageData>;

/** What is not listed here is content, known or not. */
const special: Record<string, (message: Fields) => Specific> = {
  reaction: (message) => {
    const { message_id, emoji } = fields(message.reaction);
    return { kind: 'reaction', target_external_id: text(message_id) ?? null, emoji: text(emoji) ?? null };
  },
  edit: (message) => {
    const { original_message_id, message: edited } = fields(message.edit);
    return { kind: 'edit', target_external_id: text(original_message_id) ?? null, ...contentOf(fields(edited)) };
  },
  revoke: (message) => ({
    kind: 'withdrawal',
    target_external_id: text(fields(message.revoke).original_message_id) ?? null,
  }),
  system: (message) => ({
    body: text(fields(message.system).body) ?? 'Something about this person changed',
    new_identity: identityAfter(message),
    automatic: true,
  }),
};

const specificOf = (type: string, message: Fields): Specific =>
  Object.hasOwn(special, type) ? (special[type]?.(message) ?? {}) : contentOf(message);

const idsOf = (id: unknown): string[] => {
  const given = text(id);
  return given === undefined ? [] : [given];
};
