import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startSystem } from '@ops/test-kit/system';
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
};

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

/** Said by name, so that a new folder is not passed over in silence. */
const notOurs = [/^webhook-generic\//, /^sendgrid\/event-/, /^email-reply\/expected\.json$/];

test('no file is passed over', () => {
  const left = corpusFiles.filter(({ name }) => !noted().has(name));
  const foreign = left.filter(({ name }) => notOurs.some((pattern) => pattern.test(name)));
  for (const file of foreign) note(file, 'no payload of a webhook we take');
  expect(left.filter((file) => !foreign.includes(file)).map(({ name }) => name)).toEqual([]);
});
