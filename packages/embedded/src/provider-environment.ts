import type { SystemSecrets } from './secrets.ts';

export interface SimulatorAddress {
  port: number;
  smtpPort: number;
}

/** The firm's accounts at the simulated providers, as both sides are told. */
export function simulatedProviders({ port, smtpPort }: SimulatorAddress, { providers }: SystemSecrets) {
  const url = `http://127.0.0.1:${port}`;
  return {
    MESSAGING_APP_BASE_URL: `${url}/v23.0`,
    MESSAGING_APP_PHONE_NUMBER_ID: '100000000000001',
    MESSAGING_APP_ACCESS_TOKEN: providers.messagingAppToken,
    MESSAGING_APP_APP_SECRET: providers.messagingAppSecret,
    MESSAGING_APP_VERIFY_TOKEN: providers.messagingAppVerify,
    MESSAGING_APP_TEMPLATES: 'message_of_your_agent:en,message_of_your_agent:de',
    SMS_BASE_URL: url,
    SMS_ACCOUNT_SID: 'AC00000000000000000000000000000001',
    SMS_AUTH_TOKEN: providers.sms,
    SMS_FROM: '+447700900100',
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    EMAIL_FROM: 'Demo Office <office@example.com>',
    EMAIL_POSTMARK_BASIC_AUTH: `postmark:${providers.email}`,
    EMAIL_MAILGUN_SIGNING_KEY: providers.email,
    EMAIL_SENDGRID_BASIC_AUTH: `sendgrid:${providers.email}`,
    EMAIL_MIME_BASIC_AUTH: `mime:${providers.email}`,
  } satisfies Record<string, string>;
}

/** Each may be overridden by what the caller set; an empty value counts as not set, as everywhere. */
export function providerEnvironment(
  simulated: Readonly<Record<string, string>>,
  inherited: NodeJS.ProcessEnv,
): Record<string, string> {
  const given = (name: string) => inherited[name] || inherited[`${name}_FILE`];
  return Object.fromEntries(Object.entries(simulated).filter(([name]) => !given(name)));
}
