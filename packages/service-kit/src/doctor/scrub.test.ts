import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { baseConfig, confidential, settingNames } from '../process/config.ts';
import { failed } from './finding.ts';
import { scrubberOf } from './scrub.ts';

const ofProviders = [
  'MESSAGING_APP_ACCESS_TOKEN',
  'MESSAGING_APP_APP_SECRET',
  'SMS_AUTH_TOKEN',
  'EMAIL_MIME_BASIC_AUTH',
];
const secretNames = [...settingNames(baseConfig), ...ofProviders, 'EMAIL_MAILGUN_SIGNING_KEY'].filter(
  (name) => confidential.test(name) && !name.endsWith('URL'),
);
const secret = fc.stringMatching(/^[A-Za-z0-9+/_.-]{6,40}$/);

test('whatever a secret setting holds is in no line, whoever quotes it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...secretNames), secret, secret, (name, one, other) => {
      for (const value of [one, `${one},${other}`, `${one} , ${other}`, `user:${one}`, `x-api-key=${one}`]) {
        const scrub = scrubberOf({ [name]: value });
        const line = JSON.stringify(scrub(failed('x', `it said: ${one}.`, `not ${value}!`)));
        expect(line).not.toContain(one);
      }
    }),
  );
});

test('of an address the password alone, written either way', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 6 }).filter((text) => /[a-z0-9]{3}/.test(text)),
      (password) => {
        const url = new URL('postgres://db.example.com/ops');
        url.username = 'ops_comms';
        url.password = encodeURIComponent(password);
        const scrub = scrubberOf({ DATABASE_URL: url.href });
        const { said } = scrub(failed('x', `${url.href} ${password}`, ''));
        expect(said).not.toContain(password);
        expect(said).not.toContain(encodeURIComponent(password));
        expect(said).toContain('@db.example.com/ops');
      },
    ),
  );
});

test('the private part of a key is one', () => {
  const scrub = scrubberOf({ INTERNAL_PRIVATE_KEY: '{"kid":"gateway","d":"AbCdEfGhIj"}' });
  expect(scrub(failed('keys', 'd is AbCdEfGhIj', 'no AbCdEfGhIj')).said).toBe('d is (not shown)');
});
