import { randomUUID } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { Config } from '../config.ts';
import type { FileStore } from '../file-store.ts';
import type { Person, SentMessage } from '../message.ts';
import { type HookRequest, type Wire, webhookUrl } from '../wire.ts';
import { deliveryReport } from './delivery-report.ts';

/** Mail to the firm as the raw message, the way a mail server hands it on over HTTP. */
export function createMailWire(config: Config, files: FileStore, now: () => Date): Wire {
  const handOver = (body: Buffer): HookRequest => ({
    url: webhookUrl(config.PUBLIC_URL, 'EMAIL'),
    headers: { 'content-type': 'message/rfc822', authorization: basicAuth(config) },
    body,
  });
  return {
    newExternalId: () => `<${randomUUID()}@mail.example.com>`,
    wrote: async (message, person) => handOver(await compose(message, person, config, files)),
    receipt: async (message, person, status, code = 550) =>
      status === 'failed' ? handOver(deliveryReport(message, person, config.EMAIL_FROM, code, now())) : undefined,
  };
}

const basicAuth = ({ EMAIL_MIME_BASIC_AUTH: [pair = ''] }: Config) => `Basic ${Buffer.from(pair).toString('base64')}`;

async function compose(message: SentMessage, person: Person, config: Config, files: FileStore): Promise<Buffer> {
  const contents = await Promise.all(message.files.map(({ id }) => files.get(id)));
  const writer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const written = await writer.sendMail({
    from: { name: person.name, address: String(person.email) },
    to: message.mail?.to || config.EMAIL_FROM,
    subject: message.subject ?? '',
    text: message.text,
    messageId: message.external_id,
    date: new Date(message.at),
    ...(message.reply_to && { inReplyTo: message.reply_to }),
    references: message.mail?.references ?? [],
    attachments: contents.flatMap((one) =>
      one ? [{ filename: one.file.name, contentType: one.file.media_type, content: one.bytes }] : [],
    ),
  });
  return written.message as Buffer;
}
