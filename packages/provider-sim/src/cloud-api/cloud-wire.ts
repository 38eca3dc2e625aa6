import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Person, ReceiptStatus, SentMessage, StoredFile } from '../message.ts';
import { type HookRequest, type Wire, webhookUrl } from '../wire.ts';
import { describeCode } from './cloud-codes.ts';

/** The messaging app's webhooks: one change with one message or status, signed over the bytes. */
export function createCloudWire(config: Config, now: () => Date): Wire {
  const envelope = (value: object): HookRequest => signed(config, { ...metadata(config), ...value });
  const said = (person: Person, at: string, what: object) =>
    envelope({ contacts: [contactOf(person)], messages: [{ ...senderOf(person), timestamp: seconds(at), ...what }] });
  const saidNow = (person: Person, what: object) => said(person, now().toISOString(), { id: newExternalId(), ...what });
  return {
    newExternalId,
    wrote: async (message, person) =>
      said(person, message.at, { id: message.external_id, ...contentOf(message, config) }),
    receipt: async (message, person, status, code) =>
      envelope({ statuses: [statusOf(message, person, status, code, now())] }),
    reacted: (message, person, emoji) =>
      saidNow(person, {
        type: 'reaction',
        reaction: { message_id: message.external_id, ...(emoji !== null && { emoji }) },
      }),
    changed: (message, person, text) => saidNow(person, changeOf(message, text)),
  };
}

const newExternalId = () => `wamid.${randomBytes(30).toString('base64')}`;
const digits = (phone: string) => phone.replace(/^\+/, '');
const seconds = (instant: string) => String(Math.floor(Date.parse(instant) / 1000));

const metadata = (config: Config) => ({
  messaging_product: 'whatsapp',
  metadata: {
    display_phone_number: digits(config.SMS_FROM),
    phone_number_id: config.MESSAGING_APP_PHONE_NUMBER_ID,
  },
});

const senderOf = ({ phone, user_id }: Person) => ({
  ...(phone && { from: digits(phone) }),
  ...(user_id && { from_user_id: user_id }),
});
const contactOf = ({ name, phone, user_id }: Person) => ({
  profile: { name },
  ...(phone && { wa_id: digits(phone) }),
  ...(user_id && { user_id }),
});

function contentOf(message: SentMessage, config: Config): object {
  const context = message.reply_to ? { context: { from: digits(config.SMS_FROM), id: message.reply_to } } : {};
  const [file] = message.files;
  if (!file) return { ...context, type: 'text', text: { body: message.text } };
  const type = mediaTypeOf(file);
  const caption = message.text && type !== 'audio' ? { caption: message.text } : {};
  const name = type === 'document' ? { filename: file.name } : {};
  return { ...context, type, [type]: { ...caption, ...name, mime_type: file.media_type, sha256: '', id: file.id } };
}

export function mediaTypeOf({ media_type }: StoredFile): 'image' | 'audio' | 'video' | 'document' {
  const family = media_type.split('/')[0];
  if (media_type === 'image/jpeg' || media_type === 'image/png') return 'image';
  return family === 'audio' || family === 'video' ? family : 'document';
}

function changeOf({ external_id, reply_to }: SentMessage, text: string | null): object {
  if (text === null) return { type: 'revoke', revoke: { original_message_id: external_id } };
  const context = reply_to ? { context: { id: reply_to } } : {};
  const message = { ...context, type: 'text', text: { body: text } };
  return { type: 'edit', edit: { original_message_id: external_id, message } };
}

function statusOf(message: SentMessage, { phone, user_id }: Person, status: ReceiptStatus, code = 0, at: Date): object {
  return {
    id: message.external_id,
    status,
    timestamp: seconds(at.toISOString()),
    ...(phone && { recipient_id: digits(phone) }),
    ...(user_id && { recipient_user_id: user_id }),
    ...(message.mark !== null && { biz_opaque_callback_data: message.mark }),
    ...(status === 'failed' && { errors: [{ code, ...describeCode(code) }] }),
  };
}

/** All but ASCII goes out escaped, as the provider writes it: whoever serialises again breaks the signature. */
function signed(config: Config, value: object): HookRequest {
  const entry = [{ id: '100000000000009', changes: [{ value, field: 'messages' }] }];
  const text = JSON.stringify({ object: 'whatsapp_business_account', entry });
  const body = text.replaceAll(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const signature = createHmac('sha256', String(config.MESSAGING_APP_APP_SECRET[0])).update(body).digest('hex');
  return {
    url: webhookUrl(config.PUBLIC_URL, 'MESSAGING_APP'),
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
    body,
  };
}
