import { digestOf } from '../providers/digest.ts';
import type { MessageData, Part, ReceiptData } from '../providers/provider.ts';

/**
 * What providers send is theirs to choose: text Postgres cannot hold, ids that fit no index, a book for a name. Nothing
 * is refused for that; it is brought into bounds, the same way each time.
 */
export const longestBody = 65_536;
const longestId = 255;
const mostIds = 50;
const mostParts = 100;
const longestRef = 2_048;
/** The body tells of all the others. */
const mostCards = 10;
const mostOfCard = 3;
const longestFact = 200;

/** Control characters, NUL among them, say nothing a person can see; what they were shows as a question mark in a box. */
const unprintable = /[^\P{Cc}\t\n\r]/gu;
export const printable = (text: string): string => text.toWellFormed().replace(unprintable, '\ufffd');

const line = (text: string, longest: number): string => cut(printable(text), longest);
const lineOrNull = (text: string | null, longest: number) => (text === null ? null : line(text, longest));

/** Never through the middle of a character. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest);
  return head.isWellFormed() ? head : head.slice(0, -1);
}

/** Ids are only ever compared: one too long for an index is known by its digest. */
export function id(given: string): string {
  const clean = printable(given);
  return clean.length <= longestId ? clean : digestOf(clean);
}
const idOrNull = (given: string | null) => (given === null ? null : id(given));

/** All but the body: what is too long of that is kept as a part. */
export function tidyMessage(message: MessageData): MessageData {
  return {
    ...message,
    account: id(message.account),
    external_id: id(message.external_id),
    sender_key: id(message.sender_key),
    sender: tidySender(message.sender),
    recipient: lineOrNull(message.recipient, 998),
    reply_to: lineOrNull(message.reply_to ?? null, 320),
    group: idOrNull(message.group),
    subject: lineOrNull(message.subject, 998),
    body: printable(message.body),
    parts: message.parts
      .filter(({ ref }) => ref.length <= longestRef)
      .slice(0, mostParts)
      .map(tidyTold),
    answers: {
      external_ids: message.answers.external_ids.slice(0, mostIds).map(id),
      token: lineOrNull(message.answers.token, 100),
    },
    target_external_id: idOrNull(message.target_external_id),
    emoji: lineOrNull(message.emoji, 64),
    contacts: message.contacts.slice(0, mostCards).map(tidyCard),
    place: message.place && {
      ...message.place,
      name: lineOrNull(message.place.name, longestFact),
      address: lineOrNull(message.place.address, longestFact),
    },
    new_identity: message.new_identity && {
      phone: lineOrNull(message.new_identity.phone, 32),
      user_id: idOrNull(message.new_identity.user_id),
    },
  };
}

const tidySender = (sender: MessageData['sender']): MessageData['sender'] => ({
  address: line(sender.address, 998),
  phone: lineOrNull(sender.phone, 32),
  email: lineOrNull(sender.email, 320),
  user_id: idOrNull(sender.user_id),
  name: lineOrNull(sender.name, 200),
  username: lineOrNull(sender.username ?? null, 200),
});

type Card = MessageData['contacts'][number];

const tidyCard = ({ name, organisation, phones, emails, addresses, websites, birthday }: Card): Card => ({
  name: lineOrNull(name, longestFact),
  organisation: lineOrNull(organisation, longestFact),
  phones: fewLines(phones),
  emails: fewLines(emails),
  addresses: fewLines(addresses),
  websites: fewLines(websites),
  birthday: lineOrNull(birthday, longestFact),
});

const fewLines = (given: readonly string[]) => given.slice(0, mostOfCard).map((one) => line(one, longestFact));

const tidyTold = (part: MessageData['parts'][number]): MessageData['parts'][number] => ({
  ...part,
  ref: printable(part.ref),
  name: fileName(part.name),
  media_type: mediaType(part.media_type),
  content_id: lineOrNull(part.content_id, 255),
});

export const tidyPart = (part: Part): Part => ({
  ...part,
  name: fileName(part.name),
  mediaType: mediaType(part.mediaType),
  contentId: lineOrNull(part.contentId, 255),
});

export const tidyReceipt = (receipt: ReceiptData): ReceiptData => ({
  ...receipt,
  account: id(receipt.account),
  external_id: id(receipt.external_id),
  recipients: receipt.recipients?.slice(0, mostIds).map((address) => line(address, 320)),
  failure: receipt.failure && {
    code: line(receipt.failure.code, 100),
    message: line(receipt.failure.message, 500),
    ...(receipt.failure.detail && { detail: line(receipt.failure.detail, 500) }),
  },
});

/** A name and no path, since somebody will save it under that name. */
function fileName(given: string | null): string | null {
  const name = printable(given ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.trim();
  return name ? cut(name, 255) : null;
}

const wellFormed = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Type and subtype alone: it becomes a header of ours. Some providers escape the slash. */
function mediaType(given: string): string {
  const [essence = ''] = given.split(';');
  const plain = essence.replaceAll('\\', '').trim().toLowerCase();
  return wellFormed.test(plain) ? plain : 'application/octet-stream';
}
