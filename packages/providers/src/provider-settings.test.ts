import { expect, test } from '@jest/globals';
import { providerSettings } from './provider-settings.ts';

const long = 'a-secret-of-sixteen';

test.each([
  ['EMAIL_MIME_BASIC_AUTH', `mime:${long}`, true],
  ['EMAIL_MIME_BASIC_AUTH', `mime:${long},mime:another-${long}`, true],
  ['EMAIL_MIME_BASIC_AUTH', 'mime:short', false],
  ['EMAIL_MIME_BASIC_AUTH', `mime:${long},mime:`, false],
  ['EMAIL_MIME_BASIC_AUTH', long, false],
  ['EMAIL_MIME_BASIC_AUTH', `a-long-name-and-no-password:`, false],
  ['SMS_AUTH_TOKEN', long, true],
  ['SMS_AUTH_TOKEN', 'x', false],
  ['MESSAGING_APP_APP_SECRET', `${long},x`, false],
  ['EMAIL_MAILGUN_SIGNING_KEY', 'x', false],
])('what proves who writes to us cannot be guessed: %s of %s', (name, value, good) => {
  expect(providerSettings.safeParse({ [name]: value }).success).toBe(good);
});
