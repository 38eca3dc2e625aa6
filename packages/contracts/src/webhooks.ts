import { z } from 'zod';

/** From which network a webhook came, as the gateway counts them; between the gateway and webhook-ingest alone. */
export const clientNetworkHeader = 'x-client-network';

const mib = 1024 * 1024;

/** A mail comes with its files in base64; the messaging app hands over the history of a phone in 3 MB at a time. */
export function mostWebhookBytes(path: string): number {
  if (path.startsWith('/webhooks/email/')) return 40 * mib;
  return path === '/webhooks/messaging-app' ? 4 * mib : mib;
}

/** What providers call. They carry signatures instead of roles, and we take whatever they post: these say what is read. */
export interface WebhookSpec {
  method: 'GET' | 'POST';
  path: `/webhooks/${string}`;
  summary: string;
  /** Undefined: its signature is part of what is posted. */
  security: keyof typeof webhookSecurity | undefined;
  query?: z.ZodObject;
  /** By media type. */
  body?: Record<string, z.ZodType>;
  /** Of a 200. */
  answer: { mediaType: string; description: string };
}

export const webhookSecurity = {
  messaging_app_signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: "`sha256=` and, in hex, the HMAC-SHA256 of the body's bytes with the app's secret",
  },
  messaging_app_verify_token: {
    type: 'apiKey',
    in: 'query',
    name: 'hub.verify_token',
    description: 'The token that was entered beside the address at the provider',
  },
  sms_signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Twilio-Signature',
    description:
      "In base64, the HMAC-SHA1 with the account's auth token of the address that was called and each field of the form, name and value, by name",
  },
  webhook_password: {
    type: 'http',
    scheme: 'basic',
    description: 'Of providers that sign nothing: a name and password in the address they call',
  },
} as const;

const taken = { mediaType: 'text/plain', description: 'It is kept. Empty; the same again changes nothing' };
const field = (description: string) => z.string().optional().meta({ description });
const anything = z.array(z.looseObject({})).optional();

const messagingAppPayload = z
  .looseObject({
    object: field('`whatsapp_business_account`'),
    entry: z.array(
      z.looseObject({
        id: field('The business account'),
        changes: z.array(
          z.looseObject({
            field: field('`messages`; what is none is kept and listed'),
            value: z.looseObject({
              metadata: z
                .looseObject({
                  phone_number_id: field('Which number'),
                  display_phone_number: field('As it is written'),
                })
                .optional(),
              contacts: anything.meta({ description: 'Who wrote, by name' }),
              messages: anything.meta({ description: 'What customers wrote, reactions and edits among them' }),
              statuses: anything.meta({ description: 'What became of our messages' }),
            }),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'MessagingAppWebhook' });

const smsForm = z
  .looseObject({
    MessageSid: field("The provider's id of the message"),
    From: field('Who wrote; of a receipt, our number'),
    To: field('Our number; of a receipt, who was written to'),
    Body: field('What was written'),
    NumMedia: field('How many files came with it, as `MediaUrl0`, `MediaContentType0`, ...'),
    MessageStatus: field('Of a receipt: `sent`, `delivered`, `read`, `failed`, `undelivered`'),
    ErrorCode: field('Of a receipt: why it failed'),
  })
  .meta({ id: 'SmsWebhook' });

const postmarkPayload = z
  .looseObject({
    RawEmail: field('The mail as it came; where it is left out, the fields below are read'),
    From: field('Who wrote'),
    To: field('To whom'),
    Subject: field('The subject'),
    TextBody: field('The text'),
    HtmlBody: field('The same in HTML'),
    Headers: anything.meta({ description: 'Each a `Name` and a `Value`' }),
    Attachments: anything.meta({ description: 'Each a `Name`, `ContentType`, `ContentID` and `Content` in base64' }),
  })
  .meta({ id: 'PostmarkWebhook' });

const mailgunSignature = {
  timestamp: z.string().meta({ description: 'Seconds since 1970; of at most some minutes ago' }),
  token: z.string().meta({ description: 'Good for one body' }),
  signature: z.string().meta({ description: 'In hex, the HMAC-SHA256 of timestamp and token with the signing key' }),
};
const mailgunForm = z
  .looseObject({
    ...mailgunSignature,
    recipient: field('Whom it was sent to'),
    'body-mime': field('The mail as it came; where it is left out, the fields below are read'),
    from: field('Who wrote'),
    subject: field('The subject'),
    'body-plain': field('The text'),
    'body-html': field('The same in HTML'),
    'message-headers': field('All headers: JSON, pairs of name and value'),
  })
  .meta({ id: 'MailgunWebhook' });
const mailgunEvent = z
  .looseObject({ signature: z.looseObject(mailgunSignature), 'event-data': z.looseObject({}).optional() })
  .meta({ id: 'MailgunEventWebhook' });

const sendgridForm = z
  .looseObject({
    email: field('The mail as it came; where it is left out, the fields below are read'),
    envelope: field('JSON: `to` and `from` as the mail servers had them'),
    headers: field('All headers'),
    from: field('Who wrote'),
    to: field('To whom'),
    subject: field('The subject'),
    text: field('The text'),
    html: field('The same in HTML'),
    charsets: field('JSON: the charset of each field'),
  })
  .meta({ id: 'SendgridWebhook' });

export const webhooks = {
  confirmMessagingAppWebhook: {
    method: 'GET',
    path: '/webhooks/messaging-app',
    summary: 'The messaging app asks, when the address is entered there, whether it is ours',
    security: 'messaging_app_verify_token',
    query: z.object({
      'hub.mode': z.literal('subscribe'),
      'hub.challenge': z.string().meta({ description: 'What is to be answered' }),
    }),
    answer: { mediaType: 'text/plain', description: 'The challenge' },
  },
  takeMessagingAppWebhook: {
    method: 'POST',
    path: '/webhooks/messaging-app',
    summary: 'Messages and receipts of the messaging app',
    security: 'messaging_app_signature',
    body: { 'application/json': messagingAppPayload },
    answer: taken,
  },
  takeSmsWebhook: {
    method: 'POST',
    path: '/webhooks/sms',
    summary: 'An SMS, or what became of one',
    security: 'sms_signature',
    query: z.object({ attempt: z.string().optional().meta({ description: 'Of a receipt: our id of the send' }) }),
    body: { 'application/x-www-form-urlencoded': smsForm },
    answer: { mediaType: 'text/xml', description: 'It is kept. No text is sent in answer' },
  },
  takePostmarkWebhook: {
    method: 'POST',
    path: '/webhooks/email/postmark',
    summary: 'A mail, by Postmark',
    security: 'webhook_password',
    body: { 'application/json': postmarkPayload },
    answer: taken,
  },
  takeMailgunWebhook: {
    method: 'POST',
    path: '/webhooks/email/mailgun',
    summary: 'A mail, by Mailgun; its signature is posted with it',
    security: undefined,
    body: {
      'multipart/form-data': mailgunForm,
      'application/x-www-form-urlencoded': mailgunForm,
      'application/json': mailgunEvent,
    },
    answer: taken,
  },
  takeSendgridWebhook: {
    method: 'POST',
    path: '/webhooks/email/sendgrid',
    summary: 'A mail, by SendGrid',
    security: 'webhook_password',
    body: { 'multipart/form-data': sendgridForm },
    answer: taken,
  },
  takeMailWebhook: {
    method: 'POST',
    path: '/webhooks/email/mime',
    summary: 'A mail as it came, by any mail server',
    security: 'webhook_password',
    body: { 'message/rfc822': z.string().meta({ description: 'Headers and all, its bytes untouched' }) },
    answer: taken,
  },
} satisfies Record<string, WebhookSpec>;

export type WebhookPath = (typeof webhooks)[keyof typeof webhooks]['path'];
