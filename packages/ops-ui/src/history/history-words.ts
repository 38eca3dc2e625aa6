import type { AuditEntry } from '../api/types.ts';
import { type Channel, spoken } from '../customers/opt-out-words.ts';

type Changes = AuditEntry['changes'];

/** What is kept by a code or an id, as people call it. */
export interface Names {
  agent(id: string): string;
  service(code: string): string;
  day(date: string): string;
}

export const fieldNames: Record<string, string> = {
  name: 'name',
  phones: 'phones',
  emails: 'e-mails',
  locale: 'language',
  time_zone: 'time zone',
  assigned_agent: 'agent',
  preferred_channel: 'preferred channel',
  do_not_contact: 'not to be contacted',
  opt_outs: 'opt-outs',
  service_type: 'service',
  due_date: 'due date',
  policy_id: 'policy or permit',
  acknowledged: 'looked after',
  hold: 'held',
  started_at: 'started',
  cancelled_because: 'cancelled because',
  renewal_id: 'renewal',
};

/** The one that each has from its beginning. */
const made: Record<string, string> = {
  name: 'made this customer',
  service_type: 'had it watched',
  title: 'made this task',
};

/** Such as "language de, before none; agent Ada, before Bob". */
export function changesInWords(changes: Changes, names: Names): string {
  if (changes === null) return 'a change whose words were removed';
  const begun = changes.find(({ field, old }) => old === null && made[field] !== undefined);
  if (begun) return made[begun.field] as string;
  return changes
    .map(({ field, old, new: now }) => {
      const said = (value: unknown) => valueInWords(field, value, names);
      return `${fieldNames[field] ?? field} ${said(now)}, before ${said(old)}`;
    })
    .join('; ');
}

const isDay = /^\d{4}-\d{2}-\d{2}(T|$)/;
const isCode = /^[A-Z]+(_[A-Z]+)*$/;

function valueInWords(field: string, value: unknown, names: Names): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.map((one) => valueInWords(field, one, names)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return partsInWords(value, names);
  const text = String(value);
  if (field === 'assigned_agent' || field === 'by') return names.agent(text);
  if (field === 'service_type') return names.service(text);
  if (field === 'preferred_channel') return spoken[text as Channel] ?? text;
  if (isDay.test(text)) return names.day(text.slice(0, 10));
  return isCode.test(text) && isOfAList(field) ? text.toLowerCase().replaceAll('_', ' ') : text;
}

/** What a person typed is as they typed it, capitals and all. */
const isOfAList = (field: string): boolean => ['status', 'priority', 'reason', 'because'].includes(field);

/** Of what has several parts, those that say something. */
const partsInWords = (value: object, names: Names): string =>
  Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([field, part]) => `${field === 'until' ? 'until ' : ''}${valueInWords(field, part, names)}`)
    .join(', ');
