import type { Book } from './book.ts';
import { type Faults, receiptsOf } from './faults.ts';
import type { Channel, Fate, Message, ReceiptStatus, SentMessage } from './message.ts';
import type { Outbox } from './outbox.ts';
import type { HookRequest, Wire } from './wire.ts';

/** A message of the firm's that a provider was asked to carry. */
export type Accepted = Omit<SentMessage, 'id' | 'from_firm' | 'person' | 'at'> & { to: string };

/** What comes from the firm: taken, brought to the person, and receipted. */
export interface Deliveries {
  /** What becomes of a request, kept before anything comes of it. */
  asked(channel: Channel, mark: string | null, fate: Fate): Fate;
  /** Resolves once it is kept; where receipts come early, once the firm had them. */
  take(accepted: Accepted): Promise<Message>;
  /** The person looks at a conversation: what the firm said there is read. */
  look(personId: string, channel: Channel): Promise<void>;
}

/** What messages in either direction are made of. */
export interface Carrying {
  book: Book;
  outbox: Outbox;
  faults: Faults;
  wires: Record<Channel, Wire>;
  now(): Date;
  newId(): string;
  /** Of something that goes on after the answer. */
  background(work: Promise<unknown>): void;
}

export function createDeliveries(carrying: Carrying): Deliveries {
  const { book, faults, now, newId, background } = carrying;
  const receipt = (message: Message, status: ReceiptStatus) => receipted(carrying, message, status);
  return {
    asked: (channel, mark, fate) => {
      book.record({ fact: 'asked', asked: { channel, mark, fate, at: now().toISOString() } });
      return fate;
    },
    take: async ({ to, ...accepted }) => {
      const message: SentMessage = {
        ...accepted,
        id: newId(),
        from_firm: true,
        person: book.personAt(to).id,
        at: now().toISOString(),
      };
      book.record({ fact: 'message', message });
      const taken = book.world.message(message.id) as Message;
      const statuses = receiptsOf(faults.settings().undeliverable[to] !== undefined, faults.readAtOnce());
      const told = tell(carrying, taken, faults.disturb(await Promise.all(statuses.map((one) => receipt(taken, one)))));
      if (faults.early()) await told;
      else background(told);
      return taken;
    },
    look: async (personId, channel) => {
      const unseen = book.world
        .messages({ person: personId, channel })
        .filter((message) => message.from_firm && !message.seen);
      if (unseen.length === 0) return;
      book.record({ fact: 'seen', message_ids: unseen.map(({ id }) => id) });
      if (channel !== 'MESSAGING_APP') return;
      for (const message of unseen.filter(canBeRead))
        background(tell(carrying, message, faults.disturb([await receipt(message, 'read')])));
    },
  };
}

const canBeRead = ({ receipts }: Message) => !receipts.some(({ status }) => status === 'failed' || status === 'read');

/** What became of it, kept; and what the provider says of it. */
async function receipted(carrying: Carrying, message: Message, status: ReceiptStatus) {
  const { book, faults, wires, now } = carrying;
  const person = book.personAt(message.person);
  book.record({ fact: 'receipt', message_id: message.id, status, at: now().toISOString() });
  return wires[message.channel].receipt(message, person, status, faults.settings().undeliverable[person.id]);
}

async function tell({ outbox }: Carrying, { id }: Message, requests: (HookRequest | undefined)[]) {
  const hooks = await Promise.all(requests.flatMap((request) => (request ? [outbox.prepare(id, request)] : [])));
  await outbox.send(hooks);
}
