import type { components } from '../api/schema.gen.ts';
import type { Communication } from '../api/types.ts';

type Entry = components['schemas']['CommunicationHistoryEntry'];

/** How people, and times, are written where it is read. */
interface Written {
  nameOf(agent: string): string;
  timeOf(at: string): string;
}

interface Details {
  status?: string;
  failure?: { message?: string } | null;
  attempt?: number;
  provider?: string;
  send_after?: string;
  send_after_reason?: { message?: string };
  outcome?: 'sent' | 'failed';
  fields?: string[];
  from?: string | null;
  to?: string | null;
}

const statuses: Record<string, string> = {
  QUEUED: 'put off',
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  FAILED: 'not delivered',
  UNCERTAIN: 'nobody knows whether it arrived',
  CANCELLED: 'not sent',
};

const deeds: Record<Exclude<Entry['change'], 'delivery'>, string> = {
  moved: 'moved here from another log',
  struck: 'struck out',
  linked: 'linked to this customer',
  unlinked: 'taken out of a log again',
  dismissed: 'put away as not for us',
  restored: 'taken back from what is not for us',
  retried: 'sent again',
  resolved: 'said what became of it',
  redacted: 'its words were removed when their time was over',
  changed: 'changed before it left',
  called_back: 'called back',
  settled: 'settled otherwise',
};

const fieldNames: Record<string, string> = { body: 'its words', subject: 'its subject', send_after: 'when it leaves' };

/** Such as "sent again, by Ada" and "not delivered: no such mailbox, says smtp". */
export function entryInWords({ change, actor, details }: Omit<Entry, 'id' | 'at'>, written: Written): string {
  const { attempt = 1, ...told } = details as Details;
  const words = change === 'delivery' ? newsInWords(told, written) : deedInWords(change, told, written);
  const who = actor === null ? '' : `, by ${written.nameOf(actor)}`;
  return `${words}${who}${attempt > 1 ? ` (attempt ${attempt})` : ''}`;
}

function newsInWords({ status = '', failure, provider, send_after, send_after_reason }: Details, { timeOf }: Written) {
  const said = statuses[status] ?? 'news of its way';
  const until = send_after ? ` until ${timeOf(send_after)}` : '';
  const why = failure?.message ?? send_after_reason?.message;
  return `${said}${until}${why ? `: ${why}` : ''}${provider ? ` (${provider})` : ''}`;
}

function deedInWords(change: keyof typeof deeds, { outcome, fields, from, to }: Details, { timeOf }: Written): string {
  if (change === 'resolved' && outcome) return outcome === 'sent' ? 'said to have arrived' : 'said not to have arrived';
  if (change === 'moved' && from) return `moved here from the log of ${from}`;
  if (change !== 'changed' || !fields) return deeds[change];
  const leaves = to ? `, to leave ${timeOf(to)}` : '';
  return `${deeds[change]}: ${fields.map((one) => fieldNames[one] ?? one).join(', ')}${leaves}`;
}

interface HistoryLine {
  key: string;
  at: string;
  words: string;
}

/**
 * All that happened to a record, newest first, from its first words on. Of what it tells itself, nothing is said that is older
 * than entries which are still to come.
 */
export function linesOf(
  record: Communication,
  entries: readonly Entry[],
  isWhole: boolean,
  written: Written,
): HistoryLine[] {
  const told = entries.map((entry) => ({ key: entry.id, at: entry.at, words: entryInWords(entry, written) }));
  const from = isWhole ? Number.NEGATIVE_INFINITY : Date.parse(entries.at(-1)?.at ?? '');
  const own = [...changesOf(record), beginningOf(record, written)].filter(({ at }) => Date.parse(at) >= from);
  return [...told, ...own].sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}

function changesOf({ amendments, reactions, direction }: Communication): HistoryLine[] {
  const who = direction === 'INBOUND' ? 'the customer' : 'us';
  return [
    ...amendments
      .map(({ at, body }, n) => ({
        key: `amendment ${n}`,
        at,
        words: body === null ? `taken back by ${who}` : `its words changed by ${who}`,
      }))
      .toReversed(),
    ...reactions.map(({ at, emoji, from }, n) => ({ key: `reaction ${n}`, at, words: `${emoji} from ${from}` })),
  ];
}

function beginningOf(record: Communication, { nameOf }: Written): HistoryLine {
  const { direction, created_at, received_at, author, sender, provider, phone_app, automated } = record;
  const line = (words: string, at = created_at) => ({ key: 'beginning', at, words });
  if (direction === 'INBOUND' && author === null)
    return line(`came${sender ? ` from ${sender}` : ''}${provider ? ` (${provider})` : ''}`, received_at ?? created_at);
  if (author !== null)
    return line(direction === 'INBOUND' ? `written down by ${nameOf(author)}` : `written by ${nameOf(author)}`);
  if (phone_app) return line('written on the phone');
  return line(automated ? 'written by the system' : 'written');
}
