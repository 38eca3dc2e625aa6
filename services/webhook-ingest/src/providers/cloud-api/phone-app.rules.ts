import { type Item, ofHistory } from '../provider.ts';
import { type Fields, fields, list, text } from '../untrusted.rules.ts';
import type { Change } from './change.rules.ts';
import { readMessage } from './message.rules.ts';
import { readStatus } from './status.rules.ts';

/** `message_echoes[]`: what staff wrote with the app on the firm's phone. */
export const readEcho = (message: Fields, change: Change): Item =>
  readMessage(message, change, { direction: 'OUTBOUND', imported: false, person: addressee(message, {}) });

/** `history[]`: what was said before we listened, a thread for each person, in pieces and in any order. */
export const readHistory = (change: Change): Item[] =>
  list(change.value.history)
    .flatMap((piece) => list(fields(piece).threads))
    .flatMap((thread) => readThread(fields(thread), change));

function readThread(thread: Fields, change: Change): Item[] {
  const known = introducing(thread, change);
  return list(thread.messages).flatMap((message) => readPast(fields(message), thread, known));
}

/** A thread names its person as `contacts` do elsewhere. */
function introducing({ context }: Fields, change: Change): Change {
  const { wa_id, user_id, username } = fields(context);
  const contacts = [...list(change.value.contacts), { wa_id, user_id, profile: { username } }];
  return { ...change, value: { ...change.value, contacts } };
}

/** A message of ours comes with what became of it. The file of a message comes later than the message, under the same id. */
export function readPast(message: Fields, thread: Fields, change: Change): Item[] {
  const isOurs = wentOut(message, change);
  const person = isOurs ? addressee(message, thread) : writer(message, thread);
  const item = readMessage(message, change, { direction: isOurs ? 'OUTBOUND' : 'INBOUND', imported: true, person });
  const variant = message.type === 'media_placeholder' ? `${ofHistory}:placeholder` : ofHistory;
  return [...('message' in item ? [{ ...item, variant }] : [item]), ...(isOurs ? receiptsOf(message, change) : [])];
}

const wentOut = (message: Fields, { ourNumber }: Change): boolean =>
  text(message.to) !== undefined || (digits(message.from) !== '' && digits(message.from) === digits(ourNumber));

const digits = (number: unknown): string => (text(number) ?? '').replaceAll(/\D/g, '');

const addressee = (message: Fields, thread: Fields): Fields => ({
  from: text(message.to) ?? text(fields(thread.context).wa_id) ?? thread.id,
  from_user_id: text(message.to_user_id) ?? text(fields(thread.context).user_id),
});

const writer = (message: Fields, thread: Fields): Fields => ({
  from: text(message.from) ?? text(fields(thread.context).wa_id),
  from_user_id: text(message.from_user_id) ?? text(fields(thread.context).user_id) ?? thread.id,
});

const ends: Record<string, string> = {
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  PLAYED: 'played',
  ERROR: 'failed',
};

function receiptsOf(message: Fields, change: Change): Item[] {
  const said = text(fields(message.history_context).status) ?? '';
  const status = Object.hasOwn(ends, said) ? ends[said] : undefined;
  return status === undefined ? [] : [readStatus({ id: message.id, timestamp: message.timestamp, status }, change)];
}
