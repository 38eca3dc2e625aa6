import type { AuditEntry } from '../api/types.ts';
import { type Channel, spoken } from '../customers/opt-out-words.ts';

type Changes = AuditEntry['changes'];
type Change = NonNullable<Changes>[number];
type ChangedPart = Change & { path: string[] };

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
  archived: 'former customer',
  legal_hold: 'on legal hold',
  erased: 'erased',
  erasure_digest: 'certificate of the erasure',
  legal_hold_because: 'because',
  snoozed_until: 'until',
  service_type: 'service',
  due_date: 'due date',
  policy_id: 'policy or permit',
  acknowledged: 'looked after',
  hold: 'held',
  started_at: 'started',
  cancelled_because: 'cancelled because',
  renewal_id: 'renewal',
  absent_until: 'away until',
  renewal_months: 'months of the next term',
  labels: 'in',
  steps: 'at',
  fall_through: 'order of other channels',
  quiet_hours: 'quiet hours',
  after_days: 'after days',
  working_days: 'working days',
  holidays: 'days of its own',
  answer_within_hours: 'working hours until an answer',
  body: 'text',
  several: 'about several renewals, the',
  proposal: 'proposal',
  proposed_days: 'days proposed for',
  seed_alerts: 'alerts of what is near',
};

const attention: Record<string, string> = {
  done: 'was done with what they had written',
  snoozed: 'put them off',
  waiting: 'let them wait for an answer again',
};

/** Of a setting, each part that is not the same is told by itself. */
const inParts = ['hours', 'quiet_hours', 'labels', 'steps', 'several', 'proposed_days'];

/** What was done, where a field says no more. */
const deeds: Record<string, string> = {
  taken_in: 'had it taken in',
  downloaded: 'took its rows along as a file',
  viewed: 'looked at what was said',
  exported: 'took all that is held of them along as an archive',
  ran: 'had all removed that was past its time',
  replayed: 'gave it to its consumer once more',
  moved: 'moved it',
  struck: 'struck it',
  linked: 'linked it to its customer',
  unlinked: 'took it from its customer',
  dismissed: 'put it away as not for us',
  restored: 'took it up again',
  retried: 'had it sent again',
  resolved: 'said what became of it',
  signed_in: 'signed in',
  signed_out: 'signed out',
  changed: 'changed it before it left',
  called_back: 'called it back',
  settled: 'settled it otherwise',
};

/** The one that each has from its beginning. */
export const madeRecord: Record<string, string> = {
  name: 'made this customer',
  service_type: 'had it watched',
  title: 'made this task',
};

/** The same of a setting. */
export const madeSetting: Record<string, string> = { name: 'made it', label: 'made it', body: 'wrote it' };

/** Such as "language de, before none; agent Ada, before Bob". */
export function changesInWords(changes: Changes, names: Names, made = madeRecord): string {
  if (changes === null) return 'a change whose words were removed';
  const begun = changes.find(({ field, old }) => old === null && made[field] !== undefined);
  if (begun) return made[begun.field] as string;
  return changes
    .flatMap((change) => (inParts.includes(change.field) ? partsOf(change) : [{ ...change, path: [change.field] }]))
    .map((change) => changeInWords(change, names))
    .join('; ');
}

function changeInWords({ path, field, old, new: now }: ChangedPart, names: Names): string {
  if (field === 'attention') return attention[String(now)] ?? String(now);
  if (field === 'merged_into') return now === null ? `took it apart from ${old}` : `merged it into ${now}`;
  if (field === 'merged_from') return mergedInWords(idsIn(old), idsIn(now));
  if (now === true && deeds[field] !== undefined) return deeds[field];
  if (field === 'refused') return `was refused: ${partsInWords(now as object, names)}`;
  if (field === 'times') return now === 1 ? 'once' : `${now} times`;
  const said = (value: unknown) => shortened(valueInWords(field, value, names));
  if (field === 'from') return `from ${said(now)}`;
  return `${path.map((part) => fieldNames[part] ?? part).join(' ')} ${said(now)}, before ${said(old)}`;
}

const idsIn = (value: unknown): string[] => (Array.isArray(value) ? value : []);

/** Which other ids became those of the customer, or no longer are. */
function mergedInWords(before: readonly string[], now: readonly string[]): string {
  const [came, went] = [now.filter((id) => !before.includes(id)), before.filter((id) => !now.includes(id))];
  return [
    ...(came.length > 0 ? [`merged ${came.join(', ')} into it`] : []),
    ...(went.length > 0 ? [`took ${went.join(', ')} apart`] : []),
  ].join('; ');
}

/** As deep as both have parts of the same names. */
function partsOf({ field, old, new: now }: Change, before: readonly string[] = []): ChangedPart[] {
  const path = [...before, field];
  if (!hasParts(old) || !hasParts(now)) return same(old, now) ? [] : [{ field, old, new: now, path }];
  return Object.keys({ ...old, ...now }).flatMap((part) =>
    partsOf({ field: part, old: old[part] ?? null, new: now[part] ?? null }, path),
  );
}

const hasParts = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const longest = 200;
const shortened = (words: string) => (words.length > longest ? `${words.slice(0, longest)}…` : words);

const isDay = /^\d{4}-\d{2}-\d{2}(T|$)/;
const isCode = /^[A-Z]+(_[A-Z]+)*$/;

function valueInWords(field: string, value: unknown, names: Names): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  if (Array.isArray(value)) return value.map((one) => valueInWords(field, one, names)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object') return partsInWords(value, names);
  const text = String(value);
  if (['assigned_agent', 'by', 'deputy'].includes(field)) return names.agent(text);
  if (field === 'service_type') return names.service(text);
  if (['preferred_channel', 'channels', 'fall_through'].includes(field)) return spoken[text as Channel] ?? text;
  if (isDay.test(text)) return names.day(text.slice(0, 10));
  return isCode.test(text) && isOfAList(field) ? text.toLowerCase().replaceAll('_', ' ') : text;
}

/** What a person typed is as they typed it, capitals and all. */
const isOfAList = (field: string): boolean =>
  ['status', 'proposal', 'priority', 'reason', 'because', 'task', 'working_days'].includes(field);

/** Of what has several parts, those that say something. */
const partsInWords = (value: object, names: Names): string =>
  Object.entries(value)
    .filter(([, part]) => part !== null)
    .map(([field, part]) => `${field === 'until' ? 'until ' : ''}${valueInWords(field, part, names)}`)
    .join(', ');
