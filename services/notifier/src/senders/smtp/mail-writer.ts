import addressparser from 'nodemailer/lib/addressparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { OutgoingMessage } from '../sender.ts';
import type { Envelope } from './smtp-client.ts';

export interface Mailbox {
  name: string;
  address: string;
}

interface Mail {
  envelope: Envelope;
  content: Buffer;
}

/** `Name <local@domain>` or the address alone, as a Message-ID takes it too; undefined when it is neither. */
export function parseMailbox(value: string): Mailbox | undefined {
  const [first, ...others] = addressparser(value, { flatten: true });
  return first && others.length === 0 && /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(first.address)
    ? first
    : undefined;
}

const domainOf = ({ address }: Mailbox) => address.slice(address.indexOf('@') + 1);

/** The same however often it is built: a reply or a bounce names the attempt by it. */
export const messageIdOf = (from: Mailbox, attemptId: string): string => `<${attemptId}@${domainOf(from)}>`;

/** An answer to it names the communication, whatever the customer's program does to the headers. */
function replyAddress(from: Mailbox, communicationId: string): string {
  const local = from.address.slice(0, from.address.indexOf('@'));
  return `${local}+${communicationId.replaceAll('-', '')}@${domainOf(from)}`;
}

/** What came from outside names a mail only when it looks like a Message-ID; nothing else gets into a header. */
const isMessageId = (id: string) => /^<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>$/.test(id);

/** Enough for every program to find the thread; a header has its limits. */
const mostReferences = 20;

/** The whole mail as it goes over the wire, and between whom. */
export async function buildMail(from: Mailbox, message: OutgoingMessage, to: string, attemptId: string): Promise<Mail> {
  const { external_id, references } = message.thread;
  const answered = external_id && isMessageId(external_id) ? [external_id] : [];
  const thread = [...new Set([...references.filter(isMessageId), ...answered])].slice(-mostReferences);
  const mail = new MailComposer({
    from,
    to: { name: '', address: to },
    replyTo: { name: from.name, address: replyAddress(from, message.communication_id) },
    subject: message.subject ?? '',
    text: message.body,
    messageId: messageIdOf(from, attemptId),
    ...(answered[0] && { inReplyTo: answered[0] }),
    ...(thread.length > 0 && { references: thread }),
    ...(message.automated && { headers: { 'Auto-Submitted': 'auto-generated' } }),
    attachments: message.attachments.map((file) => ({
      filename: file.name,
      contentType: file.media_type,
      content: file.content,
    })),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const compiled = mail.compile();
  // Its domain as every mail server knows it, where the customer's is of another script.
  const [recipient = to] = compiled.getEnvelope().to;
  return { envelope: { from: from.address, to: recipient }, content: await compiled.build() };
}
