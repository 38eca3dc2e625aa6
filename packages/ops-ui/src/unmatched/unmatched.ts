import type { Unmatched } from '../api/types.ts';

type Candidate = Unmatched['candidates'][number];

/** What the provider gave us of the sender. */
const addressed = ({ type, sender }: Unmatched): 'address' | 'number' | 'account' => {
  if (type === 'EMAIL') return 'address';
  return sender.phone === null ? 'account' : 'number';
};

/** Why nobody could say whose it is. */
export function reasonWords(message: Unmatched): string {
  if (message.reason === 'unknown') return `No customer has this ${addressed(message)}.`;
  return `More than one customer has this ${addressed(message)}.`;
}

/** Why it may be from this one. */
export function becauseWords(message: Unmatched, { because }: Candidate): string {
  if (because === 'identifier') return `has this ${addressed(message)}`;
  return because === 'reply' ? 'the message answers one to them' : 'the names agree';
}

/** Who linked it; nobody had to when the customer got what the sender is known by. */
export const linkedByWords = (message: Unmatched, nameOf: (agent: string) => string): string =>
  message.linked_by ? `by ${nameOf(message.linked_by)}` : `when the customer got this ${addressed(message)}`;

/** Where it came from: a number as one dials it. */
export const senderAddress = ({ sender: { phone, address } }: Unmatched): string => phone ?? address;

/** Of the same sender, this one counted: they go together. */
export const ofSameSender = (message: Unmatched, all: readonly Unmatched[]): number =>
  all.filter(({ type, sender }) => type === message.type && sender.address === message.sender.address).length;

/** Each sender once, by their newest message, and how many messages there are. */
export function onceASender({ pages, ...rest }: { pages: { data: Unmatched[] }[]; pageParams: unknown[] }) {
  const all = pages.flatMap(({ data }) => data);
  const bySender = Map.groupBy(all, ({ type, sender }) => `${type} ${sender.address}`);
  const data = [...bySender.values()].flatMap(([newest, ...others]) =>
    newest ? [{ ...newest, together: 1 + others.length }] : [],
  );
  return { ...rest, pages: [{ data }] };
}

export const messagesInWords = (count: number): string => (count === 1 ? '1 message' : `${count} messages`);

/** How a new customer is reached, as the sender wrote. */
export const reachedBy = ({ sender: { phone, email } }: Unmatched): { phones: string[]; emails: string[] } => ({
  phones: phone === null ? [] : [phone],
  emails: email === null ? [] : [email],
});

const shownLines = 6;
const shownLetters = 500;

/** More than is shown without being asked for. */
export const isLong = (text: string): boolean =>
  text.length > shownLetters || text.trimEnd().split('\n').length > shownLines;
