import { type Check, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import type { Config } from './config.ts';

/** Which providers' webhooks would be let in. Whether one also sends is not known here. */
export const webhookChecks = (config: Config): Check[] => [
  { name: 'webhooks', fix: '', alone: true, run: async () => [messagingApp(config), sms(config), email(config)] },
];

function messagingApp({ MESSAGING_APP_APP_SECRET: secret, MESSAGING_APP_VERIFY_TOKEN: token }: Config): Line {
  const name = 'messaging app webhooks';
  if (secret && token) return ok(name, 'let in at /webhooks/messaging-app');
  if (!secret && !token) return ok(name, 'off, since MESSAGING_APP_APP_SECRET is not set');
  const missing = secret ? 'MESSAGING_APP_VERIFY_TOKEN' : 'MESSAGING_APP_APP_SECRET';
  const effect = secret ? "the provider's challenge cannot be answered" : 'every message is refused with 401';
  return failed(name, `${missing} is not set: ${effect}`, `set ${missing} to what the app at the provider has`);
}

function sms({ SMS_AUTH_TOKEN, PUBLIC_URL }: Config): Line {
  const name = 'SMS webhooks';
  if (!SMS_AUTH_TOKEN) return ok(name, 'off, since SMS_AUTH_TOKEN is not set');
  if (PUBLIC_URL) return ok(name, `let in at ${new URL('/webhooks/sms', PUBLIC_URL).href}`);
  return failed(
    name,
    'PUBLIC_URL is not set: every message is refused, since signatures count the address',
    'set PUBLIC_URL to where the provider reaches the gateway (WEBHOOKS_URL in .env)',
  );
}

function email(config: Config): Line {
  const name = 'e-mail webhooks';
  const providers = {
    postmark: config.EMAIL_POSTMARK_BASIC_AUTH,
    mailgun: config.EMAIL_MAILGUN_SIGNING_KEY,
    sendgrid: config.EMAIL_SENDGRID_BASIC_AUTH,
    mime: config.EMAIL_MIME_BASIC_AUTH,
  };
  const given = Object.entries(providers).flatMap(([provider, secret]) => (secret ? [provider] : []));
  if (given.length > 0) return ok(name, `let in at /webhooks/email/ from ${given.join(', ')}`);
  return warning(
    name,
    'no provider of e-mail has a secret: what customers answer does not come in',
    'set the EMAIL_... of the provider that takes your mail',
  );
}
