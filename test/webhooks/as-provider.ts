import { createHmac, randomBytes } from 'node:crypto';
import { providerSecrets } from '@ops/test-system/provider-secrets';

type Settings = typeof providerSecrets;

export interface Webhook {
  path: string;
  body: Buffer;
  headers: Record<string, string>;
}

/** Signs as each provider does, whatever the body. `publicUrl`: where it believes to call us. */
export function asProvider(publicUrl: string, settings: Settings = providerSecrets) {
  const bytes = (body: string | Buffer) => Buffer.from(body);
  const basic = (credentials: string) => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` });
  const posted = (path: string, body: string | Buffer, type: string, more: Record<string, string> = {}): Webhook => ({
    path,
    body: bytes(body),
    headers: { 'content-type': type, ...more },
  });
  return {
    app(body: string | Buffer) {
      const digest = createHmac('sha256', settings.MESSAGING_APP_APP_SECRET).update(body).digest('hex');
      return posted('/webhooks/messaging-app', body, 'application/json', { 'x-hub-signature-256': `sha256=${digest}` });
    },
    sms(body: string | Buffer, query = '') {
      const path = `/webhooks/sms${query}`;
      const signed = publicUrl + path + fieldsOf(body.toString());
      const signature = createHmac('sha1', settings.SMS_AUTH_TOKEN).update(signed).digest('base64');
      return posted(path, body, 'application/x-www-form-urlencoded', { 'x-twilio-signature': signature });
    },
    postmark: (body: string | Buffer) =>
      posted('/webhooks/email/postmark', body, 'application/json', basic(settings.EMAIL_POSTMARK_BASIC_AUTH)),
    sendgrid: (body: string | Buffer, type: string) =>
      posted('/webhooks/email/sendgrid', body, type, basic(settings.EMAIL_SENDGRID_BASIC_AUTH)),
    mime: (body: string | Buffer) =>
      posted('/webhooks/email/mime', body, 'message/rfc822', basic(settings.EMAIL_MIME_BASIC_AUTH)),
    /** Its signature stands in the form, over time and token alone. */
    mailgun(fields: Record<string, string>, at: Date = new Date()) {
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const token = randomBytes(25).toString('hex');
      const key = settings.EMAIL_MAILGUN_SIGNING_KEY;
      const signature = createHmac('sha256', key)
        .update(timestamp + token)
        .digest('hex');
      const form = new URLSearchParams({ ...fields, timestamp, token, signature });
      return posted('/webhooks/email/mailgun', form.toString(), 'application/x-www-form-urlencoded');
    },
  };
}

function fieldsOf(body: string): string {
  const form = new URLSearchParams(body);
  const names = [...new Set(form.keys())].sort();
  return names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value)).join('');
}

export interface Answer {
  status: number;
  text: string;
}

export async function post(origin: string, { path, body, headers }: Webhook): Promise<Answer> {
  const response = await fetch(origin + path, { method: 'POST', body: new Uint8Array(body), headers });
  return { status: response.status, text: await response.text() };
}

/** A payload of the messaging app with these messages and statuses. */
export const appPayload = (messages: object[], statuses: object[] = [], phoneNumberId = 'PHONE-1') =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: 'WABA-1',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '447700900000', phone_number_id: phoneNumberId },
              messages,
              statuses,
            },
          },
        ],
      },
    ],
  });

export const appText = (id: string, from: string, body: string, at = Date.now()) => ({
  id,
  from,
  timestamp: String(Math.floor(at / 1000)),
  type: 'text',
  text: { body },
});
