import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { communicationType, isInternal } from '@ops/contracts/resources/communication';
import { loadConfig } from '@ops/service-kit/config';
import { createTestSigner } from '@ops/service-kit/test/tokens';
import fc from 'fast-check';
import { attemptId, messageOf } from '../../test/message.ts';
import { answer, type Outside, startOutside } from '../../test/outside.ts';
import { type MailServer, startMailServer } from '../../test/server.ts';
import { config } from '../config.ts';
import { configuredSenders } from './configured-senders.ts';
import type { Sender } from './sender.ts';

let outside: Outside;
let mailServer: MailServer;
let senders: ReturnType<typeof configuredSenders>;

const now = new Date('2026-03-01T10:00:00Z');

const settings = (given: Record<string, string> = {}) => {
  const { publicKeys, privateKey } = createTestSigner('notifier');
  return loadConfig(config, {
    DATABASE_URL: 'postgres://127.0.0.1/none',
    COMMS_SERVICE_URL: 'http://127.0.0.1:1',
    RENEWALS_SERVICE_URL: 'http://127.0.0.1:1',
    INTERNAL_PUBLIC_KEYS: publicKeys,
    INTERNAL_PRIVATE_KEY: privateKey,
    ...given,
  });
};

const complete = () => ({
  MESSAGING_APP_BASE_URL: outside.url,
  MESSAGING_APP_PHONE_NUMBER_ID: '1055',
  MESSAGING_APP_ACCESS_TOKEN: 'not-a-token',
  MESSAGING_APP_TEMPLATES: 'general_note:en',
  SMS_BASE_URL: outside.url,
  SMS_ACCOUNT_SID: 'AC1',
  SMS_AUTH_TOKEN: 'not-a-secret-anywhere',
  SMS_FROM: '+447700900001',
  SMTP_URL: mailServer.url,
  EMAIL_FROM: 'Permit Desk <desk@example.com>',
});

beforeAll(async () => {
  outside = await startOutside(answer(200, { sid: 'SM1', id: 'media-1', messages: [{ id: 'wamid.1' }] }));
  mailServer = await startMailServer();
  senders = configuredSenders(settings(complete()), () => now);
});
afterAll(() => Promise.all([outside.close(), mailServer.close()]));

const address = fc.constantFrom('+447700900123', 'ada@example.com', null);
const anything = fc.record({
  to: address,
  user_id: fc.constantFrom('GB.1349', null),
  subject: fc.option(fc.string()),
  body: fc.string({ minLength: 1 }),
  automated: fc.boolean(),
  template: fc.constantFrom({ name: 'general_note', language: 'en' }, { name: 'gone', language: 'en' }, null),
  window_open_until: fc.constantFrom('2026-03-01T12:00:00Z', null),
  attachments: fc.array(fc.constant({ name: 'a.png', media_type: 'image/png', content: Buffer.from('a') }), {
    maxLength: 2,
  }),
});

/** What has reached any provider so far. */
const reached = () => outside.journal.length + mailServer.mails.length + mailServer.recipients.length;

test('a note, a call log and another channel’s message never reach a provider, whatever they say and to whom', async () => {
  const all = Object.entries(senders) as [string, Sender][];
  expect(all.map(([type]) => type).toSorted()).toEqual(['EMAIL', 'MESSAGING_APP', 'SMS']);
  const before = reached();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...all), anyType(), anything, async ([own, sender], type, given) => {
      fc.pre(type !== own);
      const outcome = await sender.send(messageOf({ ...given, type }), attemptId);
      expect(outcome).toMatchObject({ kind: 'refused', code: 'type_refused' });
    }),
    { numRuns: 500 },
  );
  expect(reached()).toBe(before);
});

function anyType() {
  const internal = communicationType.options.filter(isInternal);
  return fc.oneof(fc.constantFrom(...internal), fc.constantFrom(...communicationType.options));
}

test('the same senders do send what is theirs', async () => {
  const own = { MESSAGING_APP: '+447700900123', SMS: '+447700900123', EMAIL: 'ada@example.com' } as const;
  for (const [type, to] of Object.entries(own) as [keyof typeof own, string][])
    expect(await senders[type]?.send(messageOf({ type, to }), attemptId)).toMatchObject({ kind: 'accepted' });
});

test.each([
  'MESSAGING_APP_BASE_URL',
  'MESSAGING_APP_PHONE_NUMBER_ID',
  'MESSAGING_APP_ACCESS_TOKEN',
  'SMS_BASE_URL',
  'SMS_ACCOUNT_SID',
  'SMS_AUTH_TOKEN',
  'SMS_FROM',
  'SMTP_URL',
  'EMAIL_FROM',
])('without %s its channel has no sender, and the others do', (name) => {
  const { [name]: _, ...rest } = complete() as Record<string, string>;
  const channel = name.startsWith('SMS') ? 'SMS' : name.startsWith('MESSAGING') ? 'MESSAGING_APP' : 'EMAIL';
  const configured = configuredSenders(settings(rest), () => now);
  expect(configured[channel]).toBeUndefined();
  expect(Object.values(configured)).toHaveLength(2);
});

test.each([
  ['MESSAGING_APP_TEMPLATES', 'general note'],
  ['EMAIL_FROM', 'nobody'],
  ['EMAIL_FROM', 'desk@müller.example'],
  ['SENDING_TRIES', '0'],
  ['SENDING_TRIES', '1.5'],
  ['SENDING_RETRY_SECONDS', '1,,2'],
  ['SENDING_RATE_SMS', '-1'],
])('%s=%s is refused at the start', (name, value) => {
  expect(() => settings({ [name]: value })).toThrow(name);
});
