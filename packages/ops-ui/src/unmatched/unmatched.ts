import type { Unmatched } from '../api/types.ts';
import { counted } from '../parts/words.ts';

type Candidate = Unmatched['candidates'][number];

/** What the provider gave us of the sender. */
const addressed = ({ type, sender }: Unmatched): 'address' | 'number' | 'account' => {
  if (type === 'EMAIL') return 'address';
  return sender.phone === null ? 'account' : 'number';
};

/** Why nobody could say whose it is. */
export function reasonWords(message: Unmatched): string {
  if (message.reason === 'unverified')
    return `The sender could not be verified: it looks like ${looksLike(message)}, and may be forged.`;
  if (message.reason === 'unknown') return `No customer has this ${addressed(message)}.`;
  return `More than one customer has this ${addressed(message)}.`;
}

/** In whose name it was written, if they are a customer. */
const looksLike = ({ sender, candidates }: Unmatched): string =>
  candidates.find(({ because }) => because === 'identifier')?.name ?? sender.name ?? sender.address;

/** Why it may be from this one. */
export function becauseWords(message: Unmatched, { because }: Candidate): string {
  if (because === 'identifier') return `has this ${addressed(message)}`;
  return because === 'reply' ? 'the message answers one to them' : 'the names agree';
}

/** Who linked it; nobody had to when the customer got what the sender is known by. */
export const linkedByWords = (message: Unmatched, nameOf: (agent: string) => string): string =>
  message.linked_by ? `by ${nameOf(message.linked_by)}` : `when the customer got this ${addressed(message)}`;

/** Where it came from, or went to: a number as one dials it, else what they call themselves. */
export const senderAddress = ({ sender: { phone, username, address } }: Unmatched): string =>
  phone ?? username ?? address;

/** The same for all that go together: those of one sender, but each that was probably written in their name alone. */
const goingWith = ({ id, type, reason, sender }: Unmatched): string =>
  reason === 'unverified' ? id : `${type} ${sender.address}`;

/** Of the same sender, this one counted: they go together. */
export const ofSameSender = (message: Unmatched, all: readonly Unmatched[]): number =>
  all.filter((other) => goingWith(other) === goingWith(message)).length;

/** Each sender once, by their newest message, and how many messages there are. */
export function onceASender({ pages, ...rest }: { pages: { data: Unmatched[] }[]; pageParams: unknown[] }) {
  const all = pages.flatMap(({ data }) => data);
  const bySender = Map.groupBy(all, goingWith);
  const data = [...bySender.values()].flatMap(([newest, ...others]) =>
    newest ? [{ ...newest, together: 1 + others.length }] : [],
  );
  return { ...rest, pages: [{ data }] };
}

export const messagesInWords = (count: number): string => counted(count, 'message');

/** How a new customer is reached, as the sender wrote; not by an address that was probably somebody else's. */
export const reachedBy = ({ reason, sender }: Unmatched): { phones: string[]; emails: string[] } => {
  const { phone, email } = reason === 'unverified' ? { phone: null, email: null } : sender;
  return { phones: phone === null ? [] : [phone], emails: email === null ? [] : [email] };
};

const shownLines = 6;
const shownLetters = 500;

/** More than is shown without being asked for. */
export const isLong = (text: string): boolean =>
  text.length > shownLetters || text.trimEnd().split('\n').length > shownLines;
