import type { Item, Reading } from '../provider.ts';
import { type Fields, fields, json, list, text } from '../untrusted.rules.ts';
import { readCall } from './call.rules.ts';
import { type Change, idByContent } from './change.rules.ts';
import { readIdentityChange } from './identity-change.rules.ts';
import { readMessage } from './message.rules.ts';
import { readEcho, readHistory, readPast } from './phone-app.rules.ts';
import { readPreference, readRefusal } from './preference.rules.ts';
import { readStatus } from './status.rules.ts';

/** Any number of entries, changes, messages and statuses; none of them stands in another's way. */
export function readPayload(body: Buffer, receivedAt: Date): Reading {
  const payload = json(body);
  if (payload === undefined) return { items: [], parts: [], problem: 'The body is not JSON' };
  const changes = list(fields(payload).entry).flatMap((entry) => changesOf(fields(entry), receivedAt));
  const items = changes.flatMap(readChange);
  return { items, parts: [] };
}

const changesOf = (entry: Fields, receivedAt: Date): Change[] =>
  list(entry.changes).map((given) => {
    const change = fields(given);
    const value = fields(change.value);
    const metadata = fields(value.metadata);
    return {
      field: text(change.field) ?? 'unnamed',
      account: text(metadata.phone_number_id) ?? text(entry.id) ?? '',
      ourNumber: text(metadata.display_phone_number) ?? null,
      value,
      receivedAt,
    };
  });

function readChange(change: Change): Item[] {
  const { value, field } = change;
  const items = [
    ...list(value.messages).flatMap((message) => readWritten(fields(message), change)),
    ...list(value.message_echoes).map((echo) => readEcho(fields(echo), change)),
    ...readHistory(change),
    ...list(value.calls).flatMap((call) => readCall(fields(call), change)),
    ...list(value.statuses).flatMap((status) => [
      readStatus(fields(status), change),
      ...readRefusal(fields(status), change),
    ]),
    ...list(value.user_preferences).map((preference) => readPreference(fields(preference), change)),
    ...list(value.user_id_update).map((update) => readIdentityChange(fields(update), change)),
  ];
  return items.length > 0 ? items : [aside(field, value, whyAside(field, value))];
}

/** Files of the history come as messages do. */
const readWritten = (message: Fields, change: Change): Item[] =>
  change.field === 'history' ? readPast(message, {}, change) : [readMessage(message, change)];

/** News of the account, of templates, of groups: nobody wrote anything. */
const aside = (kind: string, value: Fields, notUnderstood: string): Item => ({
  notUnderstood,
  kind,
  external_id: idByContent(value),
});

function whyAside(field: string, value: Fields): string {
  const errors = [value, ...list(value.history).map(fields)].flatMap((one) => list(one.errors));
  const codes = errors.flatMap((error) => text(fields(error).code) ?? []);
  return codes.length > 0 ? `The provider reports ${field} errors ${codes.join(', ')}` : `${field} is no message`;
}
