import type { Channel, Fate, Message, Person } from './message.ts';
import type { World } from './world.ts';

/** Somebody in the list of people: when last heard of, and what is new to them. */
export interface PersonView extends Person {
  unseen: Record<Channel, number>;
  last: { at: string; text: string; from_firm: boolean } | null;
}

export function peopleView(world: World): PersonView[] {
  const byPerson = Map.groupBy(world.messages(), ({ person }) => person);
  const views = world.people().map((person) => personView(person, byPerson.get(person.id) ?? []));
  return views.sort((a, b) => (b.last?.at ?? '').localeCompare(a.last?.at ?? ''));
}

function personView(person: Person, messages: Message[]): PersonView {
  const unseen = { MESSAGING_APP: 0, SMS: 0, EMAIL: 0 };
  for (const message of messages) if (message.from_firm && !message.seen) unseen[message.channel] += 1;
  const last = messages.reduce<Message | undefined>((a, b) => (a && a.at > b.at ? a : b), undefined);
  return { ...person, unseen, last: last ? { at: last.at, text: preview(last), from_firm: last.from_firm } : null };
}

const preview = ({ subject, text, files }: Message) => (subject || text || files[0]?.name || '').slice(0, 80);

/** A message the firm sent, as the provider that took it remembers it. */
export interface JournalEntry {
  id: string;
  channel: Channel;
  to: string;
  external_id: string;
  /** The firm's own id of the attempt, from what it gave along. */
  attempt_id: string | null;
  at: string;
  text: string;
  template: string | null;
  files: number;
  receipts: string[];
}

export const journalView = (world: World): JournalEntry[] =>
  world
    .messages()
    .filter(({ from_firm }) => from_firm)
    .map((message) => ({
      id: message.id,
      channel: message.channel,
      to: message.person,
      external_id: message.external_id,
      attempt_id: attemptOf(message),
      at: message.at,
      text: message.text,
      template: message.template,
      files: message.files.length,
      receipts: message.receipts.map(({ status }) => status),
    }));

/** A request to send, taken or not. */
export interface RequestEntry {
  channel: Channel;
  /** null where the request ended before it was said. */
  attempt_id: string | null;
  fate: Fate;
  at: string;
}

export const requestsView = (world: World): RequestEntry[] =>
  world
    .asked()
    .map((asked) => ({ channel: asked.channel, attempt_id: attemptOf(asked), fate: asked.fate, at: asked.at }));

const attemptOf = ({ mark }: { mark: string | null }): string | null => uuid.exec(mark ?? '')?.[0] ?? null;
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
