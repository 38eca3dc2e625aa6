import type { Asked, Channel, Fact, Message, Person } from './message.ts';

/** Everybody outside and all that was said, as the facts so far tell it. */
export interface World {
  apply(fact: Fact): void;
  people(): Person[];
  person(id: string): Person | undefined;
  /** By phone, messaging-app id or e-mail address. */
  personAt(address: string): Person | undefined;
  message(id: string): Message | undefined;
  messageNamed(externalId: string): Message | undefined;
  /** Oldest first. */
  messages(of?: { person: string; channel?: Channel }): Message[];
  /** What providers were asked to carry, in that order. */
  asked(): Asked[];
}

export function createWorld(): World {
  const index: Index = { people: new Map(), at: new Map(), messages: new Map(), named: new Map(), asked: [] };
  const ofPerson = (message: Message, of: { person: string; channel?: Channel } | undefined) =>
    !of || (message.person === of.person && (!of.channel || message.channel === of.channel));
  return {
    apply: (fact) => applyTo(index, fact),
    people: () => [...index.people.values()],
    person: (id) => index.people.get(id),
    personAt: (address) => index.at.get(address),
    message: (id) => index.messages.get(id),
    messageNamed: (externalId) => index.named.get(externalId),
    messages: (of) => [...index.messages.values()].filter((message) => ofPerson(message, of)),
    asked: () => index.asked,
  };
}

interface Index {
  people: Map<string, Person>;
  at: Map<string, Person>;
  messages: Map<string, Message>;
  named: Map<string, Message>;
  asked: Asked[];
}

function applyTo({ people, at, messages, named, asked }: Index, fact: Fact): void {
  if (fact.fact === 'person') {
    people.set(fact.person.id, fact.person);
    for (const address of addressesOf(fact.person)) at.set(address, fact.person);
  }
  if (fact.fact === 'message') {
    const message = { ...fact.message, receipts: [], reactions: [], ...untouched };
    messages.set(message.id, message);
    named.set(message.external_id, message);
  }
  if (fact.fact === 'asked') asked.push(fact.asked);
  if (fact.fact === 'seen') for (const id of fact.message_ids) update(messages.get(id), { seen: true });
  if ('message_id' in fact) changeMessage(messages.get(fact.message_id ?? ''), fact);
}

const untouched = { edited: false, withdrawn: false, arrived: false, seen: false };

function changeMessage(message: Message | undefined, fact: Fact): void {
  if (!message) return;
  if (fact.fact === 'receipt') message.receipts.push({ status: fact.status, at: fact.at });
  if (fact.fact === 'hook_done' && fact.taken) update(message, { arrived: true });
  if (fact.fact === 'changed')
    update(message, fact.text === null ? { withdrawn: true } : { text: fact.text, edited: true });
  if (fact.fact === 'reaction') {
    const { by_firm, emoji } = fact;
    const others = message.reactions.filter((one) => one.by_firm !== by_firm);
    message.reactions = emoji === null ? others : [...others, { by_firm, emoji }];
  }
}

const update = (message: Message | undefined, change: Partial<Message>) => message && Object.assign(message, change);

export const addressesOf = ({ phone, user_id, email }: Person): string[] =>
  [phone, user_id, email].filter((address) => address !== null);

/** As the world keeps it: phones as `+` and digits, e-mail addresses in lower case, ids of the messaging app as they are. */
export function plainAddress(address: string): string {
  const text = address.trim();
  if (text.includes('@')) return text.toLowerCase();
  const digits = text.replaceAll(/[^0-9]/g, '');
  return /^[+0-9][0-9 ().-]*$/.test(text) && digits.length > 0 ? `+${digits}` : text;
}
