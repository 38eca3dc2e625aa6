import { createHmac } from 'node:crypto';
import { canary } from '@ops/test-kit/logs';

const appSecret = 'app-secret-of-this-test';
const authToken = 'auth-token-of-this-test';
const publicUrl = 'https://ops.example.com';

/** What the service under test is configured with. */
export const settings = {
  MESSAGING_APP_APP_SECRET: appSecret,
  MESSAGING_APP_VERIFY_TOKEN: 'verify-token',
  SMS_AUTH_TOKEN: authToken,
  EMAIL_MIME_BASIC_AUTH: 'mime:password-of-this-test',
  PUBLIC_URL: publicUrl,
};

export interface Webhook {
  path: string;
  body: string;
  headers: Record<string, string>;
}

/** As the messaging app would sign it. */
export const appSignature = (body: string, secret = appSecret): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const appWebhook = (payload: unknown): Webhook => {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': appSignature(body) };
  return { path: '/webhooks/messaging-app', body, headers };
};

/** A payload of one change; what is not given is left out. */
export const change = (value: object, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [{ id: 'WABA', changes: [{ field, value: { ...metadata, ...value } }] }],
});

const metadata = {
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '447700900000', phone_number_id: 'PHONE-1' },
};

export const appMessage = (id: string, more: object = {}) => ({
  from: '447700900123',
  id,
  timestamp: '1750000000',
  type: 'text',
  text: { body: canary() },
  ...more,
});

/** As Twilio would sign it: the address it calls, and each field by its name. */
export const smsWebhook = (form: Record<string, string>, query = ''): Webhook => {
  const path = `/webhooks/sms${query}`;
  const signed = Object.keys(form)
    .sort()
    .reduce((text, name) => text + name + form[name], publicUrl + path);
  const signature = createHmac('sha1', authToken).update(signed).digest('base64');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
  return { path, body: new URLSearchParams(form).toString(), headers };
};

export const sms = (sid: string, more: Record<string, string> = {}) => ({
  MessageSid: sid,
  AccountSid: 'AC1',
  From: '+447700900123',
  To: '+447700900000',
  Body: canary(),
  NumMedia: '0',
  ...more,
});
