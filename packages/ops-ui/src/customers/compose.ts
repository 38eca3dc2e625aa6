import type { Communication, Customer } from '../api/types.ts';
import type { Sign } from './canned.ts';
import { answersTo } from './inbound-facts.ts';
import type { Mentioned } from './mentions.ts';

export const kinds = ['MESSAGING_APP', 'EMAIL', 'SMS', 'INTERNAL_NOTE', 'CALL_LOG'] as const;
export type Kind = (typeof kinds)[number];

/** The message that a draft answers. */
export interface Answered {
  id: string;
  subject: string | null;
  /** How it begins, of what has no subject. */
  words: string;
  /** The address it came from; null where nobody knows. */
  from: string | null;
  /** Where its writer wants answers, if elsewhere. */
  replyTo: string | null;
}

/** A file that was uploaded for a message which has yet to be sent. */
export interface DraftFile {
  id: string;
  name: string;
  size: number;
  /** The service keeps it so long for a message to come. */
  until: number;
}

export interface Draft {
  subject: string;
  body: string;
  /** Undefined: nobody said, and it is what the customer wrote last. Null: it answers nothing. */
  answers?: Answered | null | undefined;
  files?: readonly DraftFile[] | undefined;
  /** Null, or never said: it leaves at once. */
  leavesAt?: string | null | undefined;
  /** Of a call: when it was; null, or never said: just now. */
  wasAt?: string | null | undefined;
  /** Of an e-mail: it leaves without one's signature. */
  isUnsigned?: boolean | undefined;
  /** Of a note: who was chosen; whose name is gone from the words is not told. */
  mentions?: readonly Mentioned[] | undefined;
}
export const emptyDraft: Draft = { subject: '', body: '' };

const filesOf = (files: readonly DraftFile[]) => (files.length > 0 ? { files } : {});

/** Nobody has written anything of it. */
export const isEmpty = ({ subject, body, files = [] }: Draft): boolean =>
  subject === '' && body === '' && files.length === 0;

/** Both, one after the other; nothing of either is lost. */
export const before = (one: Draft, other: Draft): Draft => ({
  subject: one.subject || other.subject,
  body: [one.body, other.body].filter((text) => text !== '').join('\n\n'),
  answers: one.answers === undefined ? other.answers : one.answers,
  ...((one.wasAt ?? other.wasAt) && { wasAt: one.wasAt ?? other.wasAt }),
  ...((one.leavesAt ?? other.leavesAt) && { leavesAt: one.leavesAt ?? other.leavesAt }),
  ...((one.isUnsigned ?? other.isUnsigned) && { isUnsigned: true }),
  ...((one.mentions || other.mentions) && { mentions: [...(one.mentions ?? []), ...(other.mentions ?? [])] }),
  ...filesOf([...(one.files ?? []), ...(other.files ?? [])]),
});

const wordsShown = 60;

export function answeredOf(record: Communication): Answered {
  const { id, subject, body, sender } = record;
  const line = body.replace(/\s+/g, ' ').trim();
  const words = line.length > wordsShown ? `${line.slice(0, wordsShown).toWellFormed()}…` : line;
  return { id, subject, words, from: sender, replyTo: answersTo(record) };
}

export function answerWords(
  { subject, words, from, replyTo }: Answered,
  { phones, emails, user_ids }: Customer,
): string {
  const what = `Answers ${subject || words ? `“${subject || words}”` : 'a message without words'}`;
  const own = [...phones, ...emails, ...user_ids];
  if (replyTo !== null && !own.includes(replyTo))
    return `${what}, and goes to ${replyTo}, as its writer asked. That is no address of this customer.`;
  const to = replyTo ?? own.find((one) => one === from?.toLowerCase() || one === from);
  return to ? `${what}, and goes to ${to}.` : `${what}.`;
}

/** What is older than that is seldom what somebody means when they begin to write. */
const answeredWithinMs = 30 * 86_400_000;

/** What a person wrote to us, and may be answered to. */
const isTheirs = (one: Communication): boolean =>
  one.direction === 'INBOUND' &&
  !one.automatic &&
  !one.imported &&
  one.group === null &&
  one.sender_verified !== 'fail' &&
  one.redacted_at === null;

/** The newest that the customer wrote, in any way or in this one. */
export const newestOf = (newestFirst: readonly Communication[], kind?: Kind): Communication | undefined =>
  newestFirst.find((one) => isTheirs(one) && (kind === undefined || one.type === kind));

/**
 * What words of that kind answer where nobody said: what the customer wrote last by it, so that they go to the address it came
 * from. The messaging app takes whoever wrote last by itself, and would quote what is named.
 */
export function usuallyAnswered(kind: Kind, newestFirst: readonly Communication[], now: number): Answered | null {
  if (kind !== 'EMAIL' && kind !== 'SMS') return null;
  const newest = newestOf(newestFirst, kind);
  if (!newest || Date.parse(newest.occurred_at) < now - answeredWithinMs) return null;
  return answeredOf(newest);
}

/** What asks for more than letters where one writes by this kind. */
export const signOf = (kind: Kind): Sign | null => {
  if (kind === 'INTERNAL_NOTE') return '@';
  return leavesTheFirm(kind) ? '/' : null;
};

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

/** Where to begin: as the customer wrote last, else as they prefer it, else where there is an address for it. */
export function usualKind(customer: Customer, last?: Kind): Kind {
  const wanted: readonly Kind[] = [
    ...(last ? [last] : []),
    ...(customer.preferred_channel ? [customer.preferred_channel] : []),
    'MESSAGING_APP',
    'EMAIL',
    'SMS',
  ];
  return wanted.find((kind) => obstacle(kind, customer) === null) ?? 'INTERNAL_NOTE';
}

/** Where words wait to be gone on with, before where one would begin. */
export function firstKind(customer: Customer, hasDraft: (kind: Kind) => boolean, last?: Kind): Kind {
  const usual = usualKind(customer, last);
  return hasDraft(usual) ? usual : (kinds.find(hasDraft) ?? usual);
}
