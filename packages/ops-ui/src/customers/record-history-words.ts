import type { components } from '../api/schema.gen.ts';

type Entry = Pick<components['schemas']['CommunicationHistoryEntry'], 'change' | 'actor' | 'details'>;

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

/** Such as "sent again, by Ada" and "not delivered: no such mailbox". */
export function entryInWords({ change, actor, details }: Entry, nameOf: (agent: string) => string): string {
  if (change !== 'delivery') return deeds[change] + (actor === null ? '' : `, by ${nameOf(actor)}`);
  const { status, failure } = details as { status?: string; failure?: { message?: string } | null };
  const said = statuses[status ?? ''] ?? 'news of its way';
  return failure?.message ? `${said}: ${failure.message}` : said;
}
