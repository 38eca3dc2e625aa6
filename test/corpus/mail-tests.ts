import { describe, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { providerSecrets } from '@ops/test-kit/provider-secrets';
import { asProvider, post, type Webhook } from '../webhooks/as-provider.ts';
import { type CorpusFile, filesIn, jsonOf, mailgunKey } from './corpus-files.ts';
import { type Desk, type Driven, drive, tell, waiting } from './drive.ts';
import { expectMeaning } from './meanings.ts';
import { note } from './outcomes.ts';
import { multipart, plainMail } from './wrap.ts';

export function mailTests(desk: () => Desk): void {
  const as = () => asProvider(desk().system.gatewayUrl, { ...providerSecrets, EMAIL_MAILGUN_SIGNING_KEY: mailgunKey });
  const taken = async (file: CorpusFile, webhook: Webhook) => {
    const driven = await drive(desk(), webhook);
    await shown(desk(), driven);
    expectMeaning(file.meaning, driven);
    note(file, await tell(desk(), driven));
    return driven;
  };

  describe('raw mail', () => {
    test.each(filesIn('email'))('$name', async (file) => {
      await taken(file, as().mime(file.bytes));
    });
  });

  describe('Postmark', () => {
    test.each(filesIn('postmark'))('$name', async (file) => {
      const webhook = as().postmark(file.bytes);
      await taken(file, webhook);
      const anonymous = { ...webhook, headers: { 'content-type': 'application/json' } };
      expect((await post(desk().system.gatewayUrl, anonymous)).status).toBe(401);
    });
  });

  describe('SendGrid', () => {
    test.each(filesIn('sendgrid', /\.multipart$/))('$name', async (file) => {
      const boundary = file.bytes.toString('latin1').slice(2).split(/\r?\n/)[0];
      await taken(file, as().sendgrid(file.bytes, `multipart/form-data; boundary=${boundary}`));
    });
    test.each(filesIn('sendgrid', /^(?!.*event-).*\.json$/))('$name', async (file) => {
      const fields = jsonOf<Record<string, unknown>>(file);
      const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
      await taken(file, as().sendgrid(multipart(texts), 'multipart/form-data; boundary=corpus'));
    });
  });

  describe('Mailgun', () => {
    const path = '/webhooks/email/mailgun';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    test.each(filesIn('mailgun', /\.form$/))('$name', async (file) => {
      await taken(file, { path, body: file.bytes, headers: form });
    });
    test.each(filesIn('mailgun', /^(?!.*signature).*\.json$/))('$name', async (file) => {
      const fields = jsonOf<Record<string, string>>(file);
      if ('event-data' in fields) {
        await taken(file, { path, body: file.bytes, headers: { 'content-type': 'application/json' } });
        return;
      }
      // The same mail came as a form: its token is spent, so it comes with one of its own.
      await taken(file, as().mailgun(fields));
    });
    test.each(filesIn('mailgun', /\.txt$/))('$name', async (file) => {
      const mail = {
        recipient: 'office@example.com',
        sender: 'a@example.com',
        from: 'a@example.com',
        'body-plain': 'x',
      };
      await taken(file, as().mailgun({ ...mail, 'content-id-map': file.bytes.toString('utf8') }));
    });
  });

  describe('quoted text', () => {
    const [expected] = filesIn('email-reply', /expected\.json$/).map((file) => jsonOf<Record<string, Expected>>(file));
    test.each(filesIn('email-reply', /\.txt$/))('$name', async (file) => {
      const name = file.name.replace(/^.*\/|\.txt$/g, '');
      const driven = await drive(desk(), as().mime(plainMail(name, file.bytes)));
      const [record] = await waiting(desk(), driven);
      const asExpected = fits(record?.body ?? '', file.bytes.toString('utf8'), expected?.[name]);
      note(
        { name: file.name, meaning: saying(expected?.[name]) },
        `${asExpected ? 'as expected' : 'otherwise'}: ${JSON.stringify(record?.body.slice(-50))}`,
      );
      expect([record?.body, asExpected]).toEqual([expect.stringMatching(/\S/), true]);
    });
  });
}

/** Every file is fetched, and the HTML of a mail shown, without a failure of ours. */
async function shown(desk: Desk, driven: Driven): Promise<void> {
  for (const { id, attachments } of await waiting(desk, driven)) {
    await eventually(async () => {
      const [now] = (await waiting(desk, driven)).filter((record) => record.id === id);
      expect(now?.attachments.map(({ state }) => state)).toEqual(attachments.map(() => 'STORED'));
    });
    expect([200, 404]).toContain((await desk.staff.get(`/ops/communications/${id}/html`)).status);
    for (const attachment of attachments)
      expect((await desk.staff.get(`/ops/attachments/${attachment.id}`)).status).toBe(200);
  }
}

interface Expected {
  visible?: string;
  first_fragment?: string;
  first_fragment_trimmed?: string;
  contains?: string[];
  fragments?: number;
  note?: string;
}

const saying = (expected: Expected | undefined): string =>
  expected?.note ?? JSON.stringify(whole(expected) ?? expected?.contains ?? expected ?? 'nothing said').slice(-80);

const whole = (expected: Expected | undefined) =>
  expected?.visible ?? expected?.first_fragment ?? expected?.first_fragment_trimmed;

function fits(body: string, text: string, expected: Expected | undefined): boolean {
  const plain = (words: string) => words.replaceAll(/\s+/g, ' ').trim();
  const visible = whole(expected);
  if (visible !== undefined) return plain(body) === plain(visible);
  if (expected?.fragments === 1 || expected?.note?.includes('nothing may be cut')) return plain(body) === plain(text);
  return expected?.contains?.every((words) => body.includes(words)) ?? body.trim() !== '';
}
