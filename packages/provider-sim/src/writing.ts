import type { Carrying } from './deliveries.ts';
import { quoted, replySubject } from './mail/reply.ts';
import type { Channel, Message, Person, SentMessage, StoredFile } from './message.ts';

export interface Letter {
  channel: Channel;
  text: string;
  subject?: string | undefined;
  /** The message it answers. */
  reply_to?: string | undefined;
  files?: StoredFile[] | undefined;
  /** When it was written, if not now. */
  at?: string | undefined;
}

/** What people do on their phones and in their mailboxes. */
export interface Writing {
  write(personId: string, letter: Letter): Promise<Message>;
  react(messageId: string, emoji: string | null): Promise<void>;
  /** New words for what the person wrote; null takes it back. */
  change(messageId: string, text: string | null): Promise<void>;
}

/** Something a person outside cannot do: nobody of that id, no such address, nothing to answer. */
export class Impossible extends Error {
  override name = 'Impossible';
}

export function createWriting(carrying: Carrying): Writing {
  const { book, outbox, faults, wires, now, newId, background } = carrying;
  const personOf = (id: string) => found(book.world.person(id), 'nobody of that id');
  const messageOf = (id: string) => found(book.world.message(id), 'no message of that id');
  return {
    write: async (personId, letter) => {
      const person = personOf(personId);
      if (!hasAddress(person, letter.channel)) throw new Impossible(`has no address for ${letter.channel}`);
      const wire = wires[letter.channel];
      const answered = letter.reply_to === undefined ? undefined : messageOf(letter.reply_to);
      const at = letter.at ?? now().toISOString();
      const ids = { id: newId(), external_id: wire.newExternalId(), person: person.id, at };
      const message = { ...ids, ...written(person, letter, answered) };
      const request = await wire.wrote(message, person);
      const copies = Array.from({ length: faults.inboundCopies() }, (_, i) =>
        outbox.prepare(`${person.id} ${letter.channel} ${i}`, request, message.id),
      );
      background(outbox.send(await Promise.all(copies), [{ fact: 'message', message }]));
      return messageOf(message.id);
    },
    react: async (messageId, emoji) => {
      const message = messageOf(messageId);
      const request = wires[message.channel].reacted?.(message, personOf(message.person), emoji);
      if (!request) throw new Impossible('nobody reacts here');
      const hook = await outbox.prepare(message.person, request);
      background(outbox.send([hook], [{ fact: 'reaction', message_id: messageId, by_firm: false, emoji }]));
    },
    change: async (messageId, text) => {
      const message = messageOf(messageId);
      const request = wires[message.channel].changed?.(message, personOf(message.person), text);
      if (!request || message.from_firm) throw new Impossible('what is said is said');
      const hook = await outbox.prepare(message.person, request);
      background(outbox.send([hook], [{ fact: 'changed', message_id: messageId, text }]));
    },
  };
}

function found<T>(thing: T | undefined, complaint: string): T {
  if (thing === undefined) throw new Impossible(complaint);
  return thing;
}

const hasAddress = ({ phone, user_id, email }: Person, channel: Channel) =>
  channel === 'EMAIL' ? email !== null : phone !== null || (channel === 'MESSAGING_APP' && user_id !== null);

type Written = Omit<SentMessage, 'id' | 'external_id' | 'person' | 'at'>;

function written(person: Person, letter: Letter, answered: Message | undefined): Written {
  const common = {
    channel: letter.channel,
    from_firm: false,
    html: null,
    files: letter.files ?? [],
    reply_to: answered?.external_id ?? null,
    mark: null,
    template: null,
  };
  if (letter.channel !== 'EMAIL') return { ...common, subject: null, text: letter.text, mail: null };
  return {
    ...common,
    subject: letter.subject ?? (answered ? replySubject(answered.subject) : ''),
    text: answered ? `${letter.text}\n\n${quoted(answered)}` : letter.text,
    mail: answeringMail(person, answered),
  };
}

/** To where the answered mail asks answers to go, in its thread. */
function answeringMail(person: Person, answered: Message | undefined): SentMessage['mail'] {
  const to = answered?.from_firm ? (answered.mail?.reply_to ?? answered.mail?.from) : answered?.mail?.to;
  const references = answered ? [...(answered.mail?.references ?? []), answered.external_id] : [];
  return { from: String(person.email), to: to ?? '', reply_to: null, references };
}
