import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startSystem } from '@ops/test-system/system';
import { corpusFiles, mailgunKey, verifyToken } from './corpus-files.ts';
import { type Desk, openDesk } from './drive.ts';
import { mailTests } from './mail-tests.ts';
import { note, noted, printTable } from './outcomes.ts';
import { personTests } from './person-tests.ts';
import { phoneAppTests } from './phone-app-tests.ts';
import { signatureTests } from './signature-tests.ts';

const decades = String(40 * 365 * 24 * 3_600);
const settings = {
  MESSAGING_APP_VERIFY_TOKEN: verifyToken,
  EMAIL_MAILGUN_SIGNING_KEY: mailgunKey,
  // What others signed in their day is taken as it stands.
  EMAIL_MAILGUN_TOLERANCE_SECONDS: decades,
  // However many files there are, none is refused for those before it.
  RATE_LIMIT_PER_MINUTE: '1000000',
};

/** What lies beside payloads. */
const notPayloads = [/^sendgrid\/event-/, /^email-reply\/expected\.json$/];

let opened: Desk;
beforeAll(async () => {
  opened = await openDesk(await startSystem({ bus: 'postgres', env: settings }));
});
afterAll(async () => {
  printTable();
  await opened?.system.stop();
});
const desk = () => opened;

phoneAppTests(desk);
mailTests(desk);
personTests(desk);
signatureTests();

test('however many files there are, none is refused for those before it', async () => {
  for (let asked = 0; asked < 700; asked += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => opened.staff.get('/ops/me')));
    expect(answers.map(({ status }) => status)).not.toContain(429);
  }
});

test('no file is passed over', () => {
  const left = corpusFiles.filter(({ name }) => !noted().has(name));
  const foreign = left.filter(({ name, kind }) => kind === 'unknown' || notPayloads.some((named) => named.test(name)));
  for (const file of foreign) note(file, 'not driven: no payload of a webhook we take');
  expect(left.filter((file) => !foreign.includes(file)).map(({ name }) => name)).toEqual([]);
});
