import type { AuditEntry } from '../api/types.ts';
import { type Channel, spoken } from './opt-out-words.ts';

type Changes = AuditEntry['changes'];
type NameOf = (agent: string) => string;

const fieldNames: Record<string, string> = {
  name: 'name',
  phones: 'phones',
  emails: 'e-mails',
  locale: 'language',
  time_zone: 'time zone',
  assigned_agent: 'agent',
  preferred_channel: 'preferred channel',
  do_not_contact: 'not to be contacted',
  opt_outs: 'opt-outs',
};

/** Such as "language de, before none; agent Ada, before Bob". */
export function changesInWords(changes: Changes, nameOf: NameOf): string {
  if (changes === null) return 'a change whose words were removed';
  if (isCreation(changes)) return 'made this customer';
  return changes
    .map(({ field, old, new: now }) => {
      const said = (value: unknown) => valueInWords(field, value, nameOf);
      return `${fieldNames[field] ?? field} ${said(now)}, before ${said(old)}`;
    })
    .join('; ');
}

const isCreation = (changes: NonNullable<Changes>): boolean =>
  changes.some(({ field, old }) => field === 'name' && old === null);

function valueInWords(field: string, value: unknown, nameOf: NameOf): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  if (field === 'assigned_agent') return nameOf(text);
  return field === 'preferred_channel' ? (spoken[text as Channel] ?? text) : text;
}
