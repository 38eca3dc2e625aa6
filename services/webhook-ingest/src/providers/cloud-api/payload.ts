import type { Item, Reading } from '../provider.ts';
import { type Fields, fields, json, list, text } from '../untrusted.ts';
import { type Change, idByContent } from './change.ts';
import { readIdentityChange } from './identity-change.ts';
import { readMessage } from './message.ts';
import { readStatus } from './status.ts';

/** Any number of entries, changes, messages and statuses; none of them stands in another's way. */
export function readPayload(body: Buffer, receivedAt: Date): Reading {
  const payload = json(body);
  if (payload === undefined) return { items: [], parts: [], problem: 'The body is not JSON' };
  const changes = list(fields(payload).entry).flatMap((entry) => changesOf(fields(entry), receivedAt));
  const items = changes.flatMap(readChange);
  return { items, parts: [] };
}

interface NamedChange extends Change {
  field: string;
}

const changesOf = (entry: Fields, receivedAt: Date): NamedChange[] =>
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

function readChange(change: NamedChange): Item[] {
  const { value, field } = change;
  const items = [
    ...list(value.messages).map((message) => readMessage(fields(message), change)),
    ...list(value.statuses).map((status) => readStatus(fields(status), change)),
    ...list(value.user_id_update).map((update) => readIdentityChange(fields(update), change)),
  ];
  return items.length > 0 ? items : [aside(field, value, reasonOf(field, value))];
}

/** News of the account, of templates, of groups: nobody wrote anything. */
const aside = (kind: string, value: Fields, notUnderstood: string): Item => ({
  notUnderstood,
  kind,
  external_id: idByContent(value),
});

function reasonOf(field: string, value: Fields): string {
  const codes = list(value.errors).flatMap((error) => text(fields(error).code) ?? []);
  return codes.length > 0 ? `The provider reports ${field} errors ${codes.join(', ')}` : `${field} is no message`;
}
