import { whenSaid } from '../occurred-at.rules.ts';
import { type Item, type MessageData, usual } from '../provider.ts';
import { type Fields, fields, text } from '../untrusted.rules.ts';
import { type Change, idByContent, pastTime, timeOf } from './change.rules.ts';
import { contentOf } from './content.rules.ts';
import { identityAfter, systemSender } from './identity-change.rules.ts';
import { senderKey, senderOf } from './sender.rules.ts';

/** Which way a message went, and who is at the other end. */
interface Course extends Pick<MessageData, 'direction' | 'imported'> {
  person: Fields;
}

/** `messages[]` of a change. Whatever a person sent becomes a message, if only one that says we cannot show it. */
export function readMessage(message: Fields, change: Change, course: Course = { ...usual, person: message }): Item {
  const type = text(message.type) ?? 'unknown';
  const externalId = text(message.id) ?? idByContent(message);
  if (type === 'request_welcome')
    return { notUnderstood: 'A chat was opened and nothing written', kind: type, external_id: externalId };
  // What went wrong may stand beside the message it is about.
  const whole = { errors: change.value.errors, ...message };
  const read = { ...commonOf(message, change, course, externalId), ...specificOf(type, whole) };
  if (read.target_external_id === null && (read.kind === 'reaction' || read.kind === 'withdrawal'))
    return { notUnderstood: 'It does not say which message it is about', kind: type, external_id: externalId };
  return { message: read };
}

function commonOf(message: Fields, change: Change, course: Course, externalId: string): MessageData {
  const { direction, imported, person } = course;
  const { account, ourNumber, value, receivedAt } = change;
  const sender = message.type === 'system' ? systemSender(message, value) : senderOf(person, value);
  const context = fields(message.context);
  const at = timeOf(message.timestamp);
  return {
    provider: 'cloud-api',
    account,
    kind: 'message',
    channel: 'MESSAGING_APP',
    direction,
    external_id: externalId,
    ...(imported ? { occurred_at: pastTime(at, receivedAt), claimed_at: null } : whenSaid(at, receivedAt)),
    sender_key: senderKey(sender, externalId),
    sender,
    recipient: ourNumber,
    subject: null,
    body: '',
    parts: [],
    answers: { external_ids: idsOf(context.id), token: null },
    target_external_id: null,
    emoji: null,
    new_identity: null,
    automatic: imported && direction === 'INBOUND',
    imported,
    forwarded: context.forwarded === true || context.frequently_forwarded === true,
    group: text(message.group_id) ?? null,
    opted_out: null,
    contacts: [],
    place: null,
  };
}

type Specific = Partial<MessageData>;

/** What a template offers its reader, if it is to be had: Meta writes these words, and takes them for a wish to stop. */
const stopsPromotions = (button: Fields): boolean =>
  [text(button.payload), text(button.text)].some((said) => said?.trim().toLowerCase() === 'stop promotions');

/** What is not listed here is content, known or not. */
const special: Record<string, (message: Fields) => Specific> = {
  reaction: (message) => {
    const { message_id, emoji } = fields(message.reaction);
    return { kind: 'reaction', target_external_id: text(message_id) ?? null, emoji: text(emoji) ?? null };
  },
  edit: (message) => {
    const { original_message_id, message: edited } = fields(message.edit);
    const target = text(original_message_id) ?? null;
    // Words that nobody could find at a message stand for themselves.
    return { kind: target === null ? 'message' : 'edit', target_external_id: target, ...contentOf(fields(edited)) };
  },
  button: (message) => ({
    ...contentOf(message),
    opted_out: stopsPromotions(fields(message.button)) ? true : null,
  }),
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
