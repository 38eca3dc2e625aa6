import { createHmac, randomBytes } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Person, ReceiptStatus, SentMessage } from '../message.ts';
import { type HookRequest, type Wire, webhookUrl } from '../wire.ts';

/** The SMS provider's webhooks: forms, signed over the address they are sent to and their fields. */
export function createSmsWire(config: Config, ownUrl: () => string): Wire {
  return {
    newExternalId: newSid,
    wrote: async (message, person) =>
      signed(config, webhookUrl(config.PUBLIC_URL, 'SMS'), inboundFields(message, person, config, ownUrl())),
    receipt: async (message, person, status, code) =>
      message.mark === null || status === 'read'
        ? undefined
        : signed(config, message.mark, statusFields(message, person, config, status, code)),
  };
}

const newSid = () => `SM${randomBytes(16).toString('hex')}`;

const common = (sid: string, config: Config) => ({
  MessageSid: sid,
  SmsSid: sid,
  SmsMessageSid: sid,
  AccountSid: config.SMS_ACCOUNT_SID,
  ApiVersion: '2010-04-01',
});

function inboundFields(
  message: SentMessage,
  { phone }: Person,
  config: Config,
  ownUrl: string,
): Record<string, string> {
  const media = message.files.flatMap(({ id, media_type }, i) => [
    [
      `MediaUrl${i}`,
      `${ownUrl}/2010-04-01/Accounts/${config.SMS_ACCOUNT_SID}/Messages/${message.external_id}/Media/${id}`,
    ],
    [`MediaContentType${i}`, media_type],
  ]);
  return {
    ...common(message.external_id, config),
    SmsStatus: 'received',
    From: String(phone),
    To: config.SMS_FROM,
    FromCountry: '',
    FromCity: '',
    Body: message.text,
    NumSegments: '1',
    NumMedia: String(message.files.length),
    ...Object.fromEntries(media),
  };
}

function statusFields(
  message: SentMessage,
  { phone }: Person,
  config: Config,
  status: ReceiptStatus,
  code?: number,
): Record<string, string> {
  const word = status === 'failed' ? 'undelivered' : status;
  return {
    ...common(message.external_id, config),
    MessageStatus: word,
    SmsStatus: word,
    From: config.SMS_FROM,
    To: String(phone),
    ...(code !== undefined && { ErrorCode: String(code) }),
  };
}

function signed(config: Config, url: string, fields: Record<string, string>): HookRequest {
  const names = Object.keys(fields).sort();
  const said = url + names.map((name) => name + fields[name]).join('');
  const signature = createHmac('sha1', String(config.SMS_AUTH_TOKEN[0])).update(said).digest('base64');
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-twilio-signature': signature,
  };
  return { url, headers, body: new URLSearchParams(fields).toString() };
}
