import { digestOf } from '../digest.ts';
import type { Provider, RawRequest, Reading } from '../provider.ts';
import { type Fields, fields, json, list, text } from '../untrusted.rules.ts';
import { createBasicAuth } from './basic-auth.rules.ts';
import type { Envelope, Mail, MailFile, MailHeader } from './mail/mail.rules.ts';
import { subjectIn } from './mail/mime/encoded-words.rules.ts';
import { readRawMail } from './mail/raw-mail-reader.ts';
import { readableText } from './mail/readable-text.rules.ts';
import { readingOf } from './mail/reading.rules.ts';
import { postmarkChecks } from './provider-checks.rules.ts';

interface PostmarkOptions {
  credentials: readonly string[] | undefined;
  newId(): string;
}

/** Its inbound webhook, with "Include raw email content in JSON payload" or without. It signs nothing. */
export const createPostmark = ({ credentials = [], newId }: PostmarkOptions): Provider => ({
  name: 'postmark',
  webhookPath: '/webhooks/email/postmark',
  ...createBasicAuth('EMAIL_POSTMARK_BASIC_AUTH', credentials),
  read: (request) => read(request, newId),
});

async function read({ body, receivedAt }: RawRequest, newId: () => string): Promise<Reading> {
  const payload = json(body);
  if (payload === undefined) return { items: [], parts: [], problem: 'The body is not JSON' };
  const mail = fields(payload);
  if (text(mail.RecordType) !== undefined && mail.RecordType !== 'Inbound') return eventOf(mail, body);
  if (!isMail(mail)) return { items: [], parts: [], problem: 'The payload holds no mail' };
  const checks = () => postmarkChecks({ headers: headersOf(mail) }, text(fields(mail.FromFull).Email));
  const arrival = { provider: 'postmark', envelope: envelopeOf(mail), checks, receivedAt, newId } as const;
  const raw = rawOf(mail);
  return raw ? readRawMail(raw, arrival) : readingOf(parsedMail(mail), arrival, body);
}

/** What became of mails sent through Postmark, which ours are not. */
const eventOf = ({ RecordType, MessageID }: Fields, body: Buffer): Reading => ({
  items: [
    {
      notUnderstood: `The event ${text(RecordType)} is no message`,
      kind: text(RecordType) ?? 'unnamed',
      external_id: text(MessageID) ?? digestOf(body),
    },
  ],
  parts: [],
});

const isMail = (mail: Fields): boolean =>
  ['From', 'FromFull', 'RawEmail', 'TextBody', 'HtmlBody'].some((name) => mail[name] !== undefined);

/** JSON carries text: a mail with bytes that are none has lost them there, but not in the parsed fields. */
function rawOf(mail: Fields): Buffer | undefined {
  const raw = text(mail.RawEmail);
  return raw === undefined || raw.includes('\uFFFD') ? undefined : Buffer.from(raw);
}

function envelopeOf(mail: Fields): Envelope {
  const original = text(mail.OriginalRecipient);
  const recipients = [...list(mail.ToFull), ...list(mail.CcFull), ...list(mail.BccFull)].flatMap((given) => {
    const { Email } = fields(given);
    return text(Email) ?? [];
  });
  return { recipients: [...(original ? [original] : []), ...recipients], sender: null, hash: text(mail.MailboxHash) };
}

function parsedMail(mail: Fields): Mail {
  const headers = headersOf(mail);
  const html = text(mail.HtmlBody) ?? null;
  return {
    headers,
    subject: text(mail.Subject) ?? subjectIn(headers),
    text: readableText(text(mail.TextBody), html),
    html,
    files: list(mail.Attachments).map((given) => fileOf(fields(given))),
  };
}

function headersOf(mail: Fields): MailHeader[] {
  const headers = list(mail.Headers).map((given) => {
    const { Name, Value } = fields(given);
    return { key: (text(Name) ?? '').toLowerCase(), value: text(Value) ?? '' };
  });
  const own = { from: fromOf(mail), date: text(mail.Date), to: text(mail.To), cc: text(mail.Cc) };
  const missing = Object.entries(own).filter(([key]) => !headers.some((header) => header.key === key));
  return [...headers, ...missing.map(([key, value]) => ({ key, value: value ?? '' }))];
}

/** Postmark has taken name and address apart already; put together they are quoted, whatever the name holds. */
function fromOf(mail: Fields): string | undefined {
  const { Email, Name } = fields(mail.FromFull);
  const address = text(Email);
  if (address === undefined) return text(mail.From);
  return `"${(text(Name) ?? '').replace(/[\\"]/g, '\\$&')}" <${address}>`;
}

const fileOf = ({ Name, ContentType, ContentID, Content }: Fields): MailFile => ({
  name: text(Name) ?? null,
  mediaType: text(ContentType) ?? 'application/octet-stream',
  contentId: text(ContentID)?.replace(/^(?:cid:)?<?|>$/g, '') ?? null,
  bytes: Buffer.from(text(Content) ?? '', 'base64'),
});
