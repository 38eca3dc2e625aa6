import type { Customer } from '../api/types.ts';

export const kinds = ['MESSAGING_APP', 'EMAIL', 'SMS', 'INTERNAL_NOTE', 'CALL_LOG'] as const;
export type Kind = (typeof kinds)[number];

/** The e-mail that a draft answers. */
export interface Answered {
  id: string;
  subject: string | null;
  /** Where its writer wants answers, if elsewhere. */
  replyTo: string | null;
}

export interface Draft {
  subject: string;
  body: string;
  answers?: Answered | undefined;
}
export const emptyDraft: Draft = { subject: '', body: '' };

/** Both, one after the other; nothing of either is lost. */
export const before = (one: Draft, other: Draft): Draft => ({
  subject: one.subject || other.subject,
  body: [one.body, other.body].filter((text) => text !== '').join('\n\n'),
  answers: one.answers ?? other.answers,
});

export function answerWords({ subject, replyTo }: Answered, { emails }: Customer): string {
  const what = subject === null ? 'Answers an e-mail' : `Answers “${subject}”`;
  if (replyTo === null) return `${what}.`;
  return emails.includes(replyTo)
    ? `${what}, and goes to ${replyTo}.`
    : `${what}, and goes to ${replyTo}, as its writer asked. That is no address of this customer.`;
}

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
