import { expect, test } from '@jest/globals';
import { providerEnvironment, simulatedProviders } from './provider-environment.ts';
import { generateSecrets } from './secrets.ts';

const simulated = simulatedProviders({ port: 1, smtpPort: 2 }, generateSecrets());

test('what the caller set, as a value or as a file, is left alone; an empty value is none', () => {
  const env = { SMTP_URL: 'smtp://mail.example.com', SMS_AUTH_TOKEN_FILE: '/run/secrets/sms', EMAIL_FROM: '' };
  const { SMTP_URL: _, SMS_AUTH_TOKEN: __, ...rest } = simulated;
  expect(providerEnvironment(simulated, env)).toEqual(rest);
});

test('no two accounts share a secret, but those of one mailbox', () => {
  const secrets = ['MESSAGING_APP_ACCESS_TOKEN', 'MESSAGING_APP_APP_SECRET', 'MESSAGING_APP_VERIFY_TOKEN'] as const;
  expect(new Set([...secrets, 'SMS_AUTH_TOKEN' as const].map((name) => simulated[name])).size).toBe(4);
});
