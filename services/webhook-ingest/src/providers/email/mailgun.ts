import { digestOf } from '../digest.ts';
import type { Provider, RawRequest, Reading, Verdict } from '../provider.ts';
import { hmac, sameBytes } from '../signature.ts';
import { type Fields, fields, json, list, text } from '../untrusted.ts';
import { mostMailBytes } from './basic-auth.ts';
import { type Form, readForm } from './form.ts';
import type { Mail, MailFile, MailHeader } from './mail/mail.ts';
import { readRawMail } from './mail/raw-mail.ts';
import { type Arrival, readingOf } from './mail/reading.ts';
import { textOfHtml } from './mail/text-of-html.ts';

interface MailgunOptions {
  signingKeys: readonly string[] | undefined;
  toleranceSeconds: number;
  newId(): string;
}

/** Routes with `forward()`, to an address that ends in `mime` or not. */
export const createMailgun = ({ signingKeys = [], toleranceSeconds, newId }: MailgunOptions): Provider => ({
  name: 'mailgun',
  webhookPath: '/webhooks/email/mailgun',
  mostBytes: mostMailBytes,
  async verify(request) {
    if (signingKeys.length === 0) return { ok: false, reason: 'EMAIL_MAILGUN_SIGNING_KEY is not set' };
    return verdictOn(await signatureIn(request), signingKeys, toleranceSeconds, request.receivedAt);
  },
  read: (request) => read(request, newId),
});

interface Signature {
  timestamp: string;
  token: string;
  signature: string;
}

/** Far more than an event has: a mail never comes as JSON, and who has not signed may not have a large one parsed. */
const mostEventBytes = 256 * 1024;

async function signatureIn(request: RawRequest): Promise<Signature> {
  const given = isJson(request) ? signatureOf(request) : await formValues(request);
  const of = (name: string) => text(given[name]) ?? '';
  return { timestamp: of('timestamp'), token: of('token'), signature: of('signature') };
}

const signatureOf = ({ body }: RawRequest): Fields =>
  body.length <= mostEventBytes ? fields(fields(json(body)).signature) : {};

async function formValues(request: RawRequest): Promise<Record<string, string | undefined>> {
  const form = await formOf(request);
  return { timestamp: form.text('timestamp'), token: form.text('token'), signature: form.text('signature') };
}

/** The token is signed, not the body: whoever has seen one could sign anything with it, so it is good for one body. */
function verdictOn(given: Signature, keys: readonly string[], toleranceSeconds: number, now: Date): Verdict {
  const { timestamp, token, signature } = given;
  if (!/^\d{1,12}$/.test(timestamp) || token === '' || token.length > 200)
    return { ok: false, reason: 'it carries no signature' };
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

/** Then its files lie at Mailgun, for three days. */
const isStored = (form: Form): boolean =>
  form.field('message-url') !== undefined ||
  (form.field('attachments') !== undefined && form.field('attachment-count') === undefined);

function arrivalOf(form: Form, receivedAt: Date, newId: () => string): Arrival {
  const recipients =
    form
      .text('recipient')
      ?.split(',')
      .map((address) => address.trim()) ?? [];
  return { provider: 'mailgun', envelope: { recipients, sender: form.text('sender') ?? null }, receivedAt, newId };
}

function parsedMail(form: Form): Mail {
  const html = form.text('body-html') || null;
  return {
    headers: headersOf(form),
    subject: form.text('subject') ?? null,
    text: form.text('body-plain')?.trim() ? (form.text('body-plain') ?? null) : html && textOfHtml(html),
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

/** Written by hand somewhere: names come twice and empty in it. */
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
