import type { Customer } from '../api/types.ts';

export const kinds = ['MESSAGING_APP', 'EMAIL', 'SMS', 'INTERNAL_NOTE', 'CALL_LOG'] as const;
export type Kind = (typeof kinds)[number];

export interface Draft {
  subject: string;
  body: string;
}
export const emptyDraft: Draft = { subject: '', body: '' };

/** Both, one after the other; nothing of either is lost. */
export const before = (one: Draft, other: Draft): Draft => ({
  subject: one.subject || other.subject,
  body: [one.body, other.body].filter((text) => text !== '').join('\n\n'),
});

export const leavesTheFirm = (kind: Kind): boolean => kind !== 'INTERNAL_NOTE' && kind !== 'CALL_LOG';
export const hasSubject = (kind: Kind): boolean => kind === 'EMAIL' || kind === 'CALL_LOG';

/** Why this customer cannot be written to that way; null when it is possible. */
export function obstacle(kind: Kind, { phones, emails, user_ids }: Customer): string | null {
  if (kind === 'EMAIL' && emails.length === 0) return 'no e-mail address';
  if (kind === 'SMS' && phones.length === 0) return 'no phone number';
  if (kind === 'MESSAGING_APP' && phones.length + user_ids.length === 0) return 'no phone number';
  return null;
}

/** What a person should know before writing; nothing of it stops them. */
export function caution(kind: Kind, { opted_out, do_not_contact }: Customer): string | null {
  if (!leavesTheFirm(kind)) return null;
  if (do_not_contact) return 'This customer is not to be contacted.';
  return opted_out.includes(kind as 'SMS') ? 'The customer asked for no automated messages on this channel.' : null;
}

const windowMs = 24 * 3_600_000;

/** The messaging app takes free text for a day after the customer's last message; null: it is closed. */
export function windowOpenUntil(lastWritten: string | null, now: Date): Date | null {
  const until = lastWritten === null ? null : new Date(Date.parse(lastWritten) + windowMs);
  return until && until > now ? until : null;
}

/** Where to begin: as the customer prefers it, else the primary channel, else what there is an address for. */
export function usualKind(customer: Customer): Kind {
  const wanted: readonly Kind[] = [
    ...(customer.preferred_channel ? [customer.preferred_channel] : []),
    'MESSAGING_APP',
    'EMAIL',
    'SMS',
  ];
  return wanted.find((kind) => obstacle(kind, customer) === null) ?? 'INTERNAL_NOTE';
}

/** Where words wait to be gone on with, before where one would begin. */
export function firstKind(customer: Customer, hasDraft: (kind: Kind) => boolean): Kind {
  const usual = usualKind(customer);
  return hasDraft(usual) ? usual : (kinds.find(hasDraft) ?? usual);
}
