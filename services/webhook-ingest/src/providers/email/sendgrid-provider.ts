import type { Provider, RawRequest, Reading } from '../provider.ts';
import { fields, json, list, text } from '../untrusted.rules.ts';
import { createBasicAuth } from './basic-auth.rules.ts';
import { type Form, readForm } from './form-reader.ts';
import type { Envelope, Mail, MailFile } from './mail/mail.rules.ts';
import { subjectIn } from './mail/mime/encoded-words.rules.ts';
import { parseMime } from './mail/mime-reader.ts';
import { readRawMail } from './mail/raw-mail-reader.ts';
import { readableText } from './mail/readable-text.rules.ts';
import { readingOf } from './mail/reading.rules.ts';
import { sendgridChecks } from './provider-checks.rules.ts';

interface SendgridOptions {
  credentials: readonly string[] | undefined;
  newId(): string;
}

/** Inbound Parse, with "POST the raw, full MIME message" or without. It signs nothing. */
export const createSendgrid = ({ credentials = [], newId }: SendgridOptions): Provider => ({
  name: 'sendgrid',
  webhookPath: '/webhooks/email/sendgrid',
  ...createBasicAuth('EMAIL_SENDGRID_BASIC_AUTH', credentials),
  read: (request) => read(request, newId),
});

async function read({ headers, body, receivedAt }: RawRequest, newId: () => string): Promise<Reading> {
  const form = await readForm(headers['content-type'] ?? '', body);
  const envelope = envelopeOf(form);
  const checks = () => sendgridChecks(form, envelope.sender);
  const arrival = { provider: 'sendgrid', envelope, checks, receivedAt, newId } as const;
  const raw = form.field('email');
  if (raw) return readRawMail(raw.bytes, arrival);
  if (!form.field('headers') && !form.field('from')) return { items: [], parts: [], problem: 'The form holds no mail' };
  return readingOf(await parsedMail(form), arrival, body);
}

function envelopeOf(form: Form): Envelope {
  const { to, from } = fields(jsonIn(form, 'envelope'));
  const sender = typeof from === 'string' ? from : null;
  return { recipients: list(to).flatMap((address) => text(address) ?? []), sender };
}

const jsonIn = (form: Form, name: string): unknown => json(form.field(name)?.bytes ?? Buffer.alloc(0));

/** Each field has its own charset, named in another field. */
async function parsedMail(form: Form): Promise<Mail> {
  const charsets = fields(jsonIn(form, 'charsets'));
  const textIn = (name: string) => form.text(name, text(charsets[name]) ?? 'utf-8') ?? null;
  const headers = await headersOf(form, textIn);
  const html = textIn('html') || null;
  return {
    headers,
    subject: textIn('subject') || subjectIn(headers),
    text: readableText(textIn('text'), html),
    html,
    files: filesOf(form),
  };
}

async function headersOf(form: Form, textIn: (name: string) => string | null): Promise<Mail['headers']> {
  const blob = form.field('headers')?.bytes ?? Buffer.alloc(0);
  const { headers } = await parseMime(Buffer.concat([blob, Buffer.from('\r\n\r\n')])).catch(() => ({ headers: [] }));
  const missing = ['from', 'to', 'cc'].filter((key) => !headers.some((header) => header.key === key));
  return [...headers, ...missing.map((key) => ({ key, value: textIn(key) ?? '' }))];
}

function filesOf(form: Form): MailFile[] {
  const told = fields(jsonIn(form, 'attachment-info'));
  return form.fields
    .filter(({ name }) => /^attachment\d+$/.test(name))
    .map(({ name, fileName, mediaType, bytes }) => {
      const info = fields(told[name]);
      const contentId = text(info['content-id'])?.replace(/^<|>$/g, '') ?? null;
      return { name: text(info.filename) ?? fileName, mediaType: text(info.type) ?? mediaType, contentId, bytes };
    });
}
