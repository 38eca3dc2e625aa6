import { digestOf } from '../digest.ts';
import type { Provider, RawRequest, Reading, Verdict } from '../provider.ts';
import { hmac, sameBytes } from '../signature.ts';
import { type Fields, fields, json, list, text } from '../untrusted.rules.ts';
import { type Form, readForm } from './form-reader.ts';
import type { Mail, MailFile, MailHeader } from './mail/mail.rules.ts';
import { subjectIn } from './mail/mime/encoded-words.rules.ts';
import { readRawMail } from './mail/raw-mail-reader.ts';
import { readableText } from './mail/readable-text.rules.ts';
import { type Arrival, readingOf } from './mail/reading.rules.ts';
import { mailgunChecks } from './provider-checks.rules.ts';
import { fieldsNamed } from './signature-fields.rules.ts';

interface MailgunOptions {
  signingKeys: readonly string[] | undefined;
  toleranceSeconds: number;
  newId(): string;
}

/** Routes with `forward()`, to an address that ends in `mime` or not. */
export const createMailgun = ({ signingKeys = [], toleranceSeconds, newId }: MailgunOptions): Provider => ({
  name: 'mailgun',
  webhookPath: '/webhooks/email/mailgun',
  proof: 'body',
  turnsAway: () => (signingKeys.length === 0 ? 'EMAIL_MAILGUN_SIGNING_KEY is not set' : undefined),
  verify: (request) => verdictOn(signatureIn(request), signingKeys, toleranceSeconds, request.receivedAt),
  read: (request) => read(request, newId),
});

interface Signature {
  timestamp: string;
  token: string;
  signature: string;
}

/** Far more than an event has: a mail never comes as JSON, and who has not signed may not have a large one parsed. */
const mostEventBytes = 256 * 1024;

function signatureIn(request: RawRequest): Signature {
  const given = isJson(request) ? eventSignature(request) : formSignature(request);
  const of = (name: string) => text(given[name]) ?? '';
  return { timestamp: of('timestamp'), token: of('token'), signature: of('signature') };
}

const eventSignature = ({ body }: RawRequest): Fields =>
  body.length <= mostEventBytes ? fields(fields(json(body)).signature) : {};

const formSignature = ({ headers, body }: RawRequest): Fields =>
  Object.fromEntries(fieldsNamed(headers['content-type'] ?? '', body, ['timestamp', 'token', 'signature']));

/** Joined without a separator they are signed; of a fixed length, the time ends in one place only. */
const timestampForm = /^\d{10}$/;
const tokenForm = /^[0-9a-z]{32,64}$/i;

/** The token is signed, not the body: whoever has seen one could sign anything with it, so it is good for one body. */
function verdictOn(given: Signature, keys: readonly string[], toleranceSeconds: number, now: Date): Verdict {
  const { timestamp, token, signature } = given;
  if (!timestampForm.test(timestamp) || !tokenForm.test(token)) return { ok: false, reason: 'it carries no signature' };
  const signed = /^[0-9a-f]{64}$/i.test(signature) && isSigned(given, keys);
  if (!signed) return { ok: false, reason: 'its signature is not ours' };
  const age = now.getTime() / 1000 - Number(timestamp);
  if (age < -toleranceSeconds) return { ok: false, reason: 'its signature is of a time to come' };
  // Each try of Mailgun's, eight hours long, carries the signature of the first.
  if (age > toleranceSeconds) return { ok: false, reason: 'its signature is too old', lateKey: token };
  return { ok: true, replayKey: token };
}

const isSigned = ({ timestamp, token, signature }: Signature, keys: readonly string[]): boolean =>
  keys.some((key) => sameBytes(hmac('sha256', key, timestamp + token), Buffer.from(signature, 'hex')));

async function read(request: RawRequest, newId: () => string): Promise<Reading> {
  if (isJson(request)) return jsonEventOf(request);
  const form = await formOf(request);
  const event = form.text('event');
  if (event !== undefined) return eventOf({ event, id: form.text('Message-Id') }, request);
  if (isStored(form)) return set('store', undefined, request, 'Mailgun stored this mail instead of forwarding it');
  const arrival = arrivalOf(form, request.receivedAt, newId);
  const raw = form.field('body-mime');
  return raw ? readRawMail(raw.bytes, arrival) : readingOf(parsedMail(form), arrival, request.body);
}

const isJson = ({ headers }: RawRequest): boolean => /^application\/json\b/i.test(headers['content-type'] ?? '');
const formOf = ({ headers, body }: RawRequest): Promise<Form> => readForm(headers['content-type'] ?? '', body);

/** What became of mails sent through Mailgun, which ours are not. */
const eventOf = ({ event, id }: Fields, request: RawRequest): Reading =>
  set(text(event) ?? 'unnamed', text(id), request, `The event ${text(event) ?? 'without a name'} is no message`);

const jsonEventOf = (request: RawRequest): Reading =>
  eventOf(fields(fields(json(request.body))['event-data']), request);

const set = (kind: string, id: string | undefined, { body }: RawRequest, notUnderstood: string): Reading => ({
  items: [{ notUnderstood, kind, external_id: id ?? digestOf(body) }],
  parts: [],
});

/** Whether Mailgun was set to store the mail: then its files lie there, for three days. */
const isStored = (form: Form): boolean =>
  form.field('message-url') !== undefined ||
  (form.field('attachments') !== undefined && form.field('attachment-count') === undefined);

function arrivalOf(form: Form, receivedAt: Date, newId: () => string): Arrival {
  const recipients =
    form
      .text('recipient')
      ?.split(',')
      .map((address) => address.trim()) ?? [];
  const envelope = { recipients, sender: form.text('sender') ?? null };
  return { provider: 'mailgun', envelope, checks: (mail) => mailgunChecks(form, mail), receivedAt, newId };
}

function parsedMail(form: Form): Mail {
  const headers = headersOf(form);
  const html = form.text('body-html') || null;
  return {
    headers,
    subject: form.text('subject') || subjectIn(headers),
    text: readableText(form.text('body-plain'), html),
    html,
    files: filesOf(form),
  };
}

/** `message-headers` holds them all, as pairs; the form repeats a few. */
function headersOf(form: Form): MailHeader[] {
  const pairs = list(json(form.field('message-headers')?.bytes ?? Buffer.alloc(0))).map(list);
  const headers = pairs.map(([name, value]) => ({ key: (text(name) ?? '').toLowerCase(), value: text(value) ?? '' }));
  const missing = ['from', 'message-id', 'in-reply-to', 'references', 'date', 'to', 'cc'].filter(
    (key) => !headers.some((header) => header.key === key),
  );
  const repeated = form.fields.filter(
    ({ name, fileName }) => fileName === null && missing.includes(name.toLowerCase()),
  );
  return [
    ...headers,
    ...repeated.map(({ name, bytes }) => ({ key: name.toLowerCase(), value: bytes.toString('utf8') })),
  ];
}

/**
 * The map of content ids is written by hand at Mailgun, with names that come twice or are empty: it is read by a
 * pattern.
 */
const cidPair = /"((?:[^"\\]|\\.)*)"\s*:\s*"(attachment-\d+)"/g;

function filesOf(form: Form): MailFile[] {
  const map = form.text('content-id-map')?.slice(0, 64 * 1024) ?? '';
  const ids = new Map([...map.matchAll(cidPair)].map(([, id = '', name = '']) => [name, id.replace(/^<|>$/g, '')]));
  return form.fields
    .filter(({ name }) => /^attachment-\d+$/.test(name))
    .map(({ name, fileName, mediaType, bytes }) => ({
      name: fileName,
      mediaType,
      contentId: ids.get(name) || null,
      bytes,
    }));
}
