import type { InboundProvider } from '@ops/contracts/events';
import { digestOf } from '../../digest.ts';
import { whenSaid } from '../../occurred-at.rules.ts';
import { type MessageData, type Part, type Reading, unreadableMail, usual } from '../../provider.ts';
import { domainOf, emailOf, mailboxesOf, replyTokenOf } from './address-reader.ts';
import { isAutomatic } from './automatic.rules.ts';
import { bounceOf } from './bounce.rules.ts';
import { complaintOf } from './complaint.rules.ts';
import { dateOf } from './date.rules.ts';
import { allValues, type Envelope, firstValue, type Mail } from './mail.rules.ts';
import { answeredIdsOf, messageIdOf } from './message-ids.rules.ts';
import { type Checks, senderVerified } from './sender-verified.rules.ts';

/** How a mail came to us. */
export interface Arrival {
  provider: InboundProvider;
  envelope: Envelope;
  /** What the server that took it found out about its sender; left out where no server of ours says so. */
  checks?: (mail: Mail) => Checks;
  receivedAt: Date;
  newId(): string;
}

/** Beside the HTML and the mail itself: no message may have more than a hundred parts. */
const mostFiles = 90;
const toUs = ['to', 'cc', 'bcc', 'delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'resent-to'];

/**
 * A machine's report about a mail of ours, or else a message: every mail is one of the two. A complaint is a message, and says
 * something besides. `original` goes along when needed.
 */
export function readingOf(mail: Mail, arrival: Arrival, original: Uint8Array): Reading {
  const recipients = recipientsOf(mail, arrival);
  const account = domainOf(recipients[0] ?? '');
  const mayReport = verdictOn(mail, arrival) !== 'fail' && isByMachine(mail, arrival);
  const bounce = mayReport ? bounceOf(mail, account, arrival.receivedAt) : undefined;
  if (bounce) return { items: [bounce], parts: [] };
  const parts = partsOf(mail, arrival, original);
  const message = messageOf(mail, arrival, { recipients, account, parts });
  const complaint = mayReport ? complaintOf(mail, message) : [];
  return { items: [{ message, variant: digestOf(...identityOf(mail)) }, ...complaint], parts };
}

/** What cannot be read is a message all the same, with the mail as it came. */
export function unreadable(arrival: Arrival, head: Mail, original: Uint8Array): Reading {
  const body = 'Sent an e-mail that could not be read; it is attached as it came.';
  const mail = { ...head, text: body, html: null, files: [] };
  const part = originalPart(arrival, original);
  const recipients = recipientsOf(mail, arrival);
  const account = domainOf(recipients[0] ?? '');
  const message = messageOf(mail, arrival, { recipients, account, parts: [part] });
  const external_id = messageIdOf(mail) ?? digestOf(original);
  return {
    items: [{ message: { ...message, external_id }, variant: `${unreadableMail}${digestOf(original)}` }],
    parts: [part],
  };
}

const recipientsOf = (mail: Mail, { envelope }: Arrival): string[] => [
  ...envelope.recipients,
  ...mailboxesOf(toUs.flatMap((name) => allValues(mail, name))).map(({ address }) => address),
];

interface Found {
  recipients: string[];
  account: string;
  parts: Part[];
}

function messageOf(mail: Mail, arrival: Arrival, { recipients, account, parts }: Found): MessageData {
  const sender = senderOf(mail, arrival.envelope);
  const external_id = messageIdOf(mail) ?? digestOf(...mail.headers.map(line), ...contentOf(mail));
  return {
    provider: arrival.provider,
    account,
    kind: 'message',
    channel: 'EMAIL',
    external_id,
    ...whenSaid(dateOf(mail), arrival.receivedAt),
    sender_key: `EMAIL:${sender.email ?? (sender.address === 'unknown' ? `unknown:${external_id}` : sender.address)}`,
    sender,
    recipient: recipients.find((address) => address !== '') ?? null,
    subject: mail.subject,
    body: tidy(mail.text ?? ''),
    parts: parts.map(toldOf),
    answers: { external_ids: answeredIdsOf(mail), token: replyTokenOf(recipients, arrival.envelope.hash) },
    target_external_id: null,
    emoji: null,
    new_identity: null,
    ...usual,
    automatic: isByMachine(mail, arrival),
    reply_to: replyToOf(mail, sender.email),
    sender_verified: verdictOn(mail, arrival),
  };
}

const isByMachine = (mail: Mail, { envelope }: Arrival): boolean =>
  isAutomatic(mail, envelope, senderOf(mail, envelope).address);

const verdictOn = (mail: Mail, { checks, envelope }: Arrival) =>
  senderVerified(senderOf(mail, envelope).email, checks?.(mail) ?? { dkim: [] });

function replyToOf(mail: Mail, from: string | null): string | null {
  const named = mailboxesOf(allValues(mail, 'reply-to')).flatMap(({ address }) => emailOf(address) ?? []);
  return named.includes(from ?? '') ? null : (named[0] ?? null);
}

/** Who wrote it, by From alone; only where that names nobody, who handed it in. Reply-To says where answers go. */
function senderOf(mail: Mail, { sender }: Envelope): MessageData['sender'] {
  const from = mailboxesOf(allValues(mail, 'from'));
  const others = mailboxesOf([...allValues(mail, 'sender'), ...allValues(mail, 'return-path'), sender ?? '']);
  const named = [...from, ...others].find(({ address }) => emailOf(address) !== null) ?? from[0];
  return {
    address: named?.address || named?.name || 'unknown',
    phone: null,
    email: emailOf(named?.address),
    user_id: null,
    name: named?.name || null,
  };
}

function partsOf(mail: Mail, arrival: Arrival, original: Uint8Array): Part[] {
  const html = mail.html === null ? [] : [htmlPart(arrival, mail.html)];
  const files = mail.files.slice(0, mostFiles).map((file): Part => {
    const { bytes, ...told } = file;
    return { id: arrival.newId(), role: 'file', ...told, bytes: Buffer.from(bytes) };
  });
  const rest = mail.files.length > mostFiles ? [originalPart(arrival, original)] : [];
  return [...html, ...files, ...rest];
}

const htmlPart = ({ newId }: Arrival, html: string): Part => ({
  id: newId(),
  role: 'html',
  name: null,
  mediaType: 'text/html',
  contentId: null,
  bytes: Buffer.from(html),
});

const originalPart = ({ newId }: Arrival, original: Uint8Array): Part => ({
  id: newId(),
  role: 'original',
  name: 'message.eml',
  mediaType: 'message/rfc822',
  contentId: null,
  bytes: Buffer.from(original),
});

const toldOf = ({ id, role, name, mediaType, contentId, bytes }: Part): MessageData['parts'][number] => ({
  source: 'ingest',
  ref: id,
  role,
  name,
  media_type: mediaType,
  size: bytes.length,
  content_id: contentId,
});

/** Line ends as everywhere else, and no blank lines around. */
const tidy = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();

/**
 * Not every program gives each mail an id of its own, so the words count as well. How it travelled does not: the same mail
 * to two of our mailboxes is one message.
 */
const identityOf = (mail: Mail): (string | Uint8Array)[] => [
  ...['from', 'date'].map((name) => firstValue(mail, name) ?? ''),
  ...contentOf(mail),
];

const contentOf = ({ subject, text, html, files }: Mail): (string | Uint8Array)[] => [
  subject ?? '',
  text ?? '',
  html ?? '',
  ...files.map(({ bytes }) => bytes),
];

const line = ({ key, value }: Mail['headers'][number]): string => `${key}: ${value}`;
