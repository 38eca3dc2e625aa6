import { describe, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { providerSecrets } from '@ops/test-system/provider-secrets';
import { asProvider, post, type Webhook } from '../webhooks/as-provider.ts';
import { type CorpusFile, filesOf, jsonOf, mailgunKey } from './corpus-files.ts';
import { type Desk, type Driven, drive, tell, waiting } from './drive.ts';
import { expectMeaning } from './meanings.ts';
import { eachFile, note } from './outcomes.ts';
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
    eachFile('email', /./, async (file) => {
      await taken(file, as().mime(file.bytes));
    });
  });

  describe('Postmark', () => {
    eachFile('postmark', /./, async (file) => {
      const webhook = as().postmark(file.bytes);
      await taken(file, webhook);
      const anonymous = { ...webhook, headers: { 'content-type': 'application/json' } };
      expect((await post(desk().system.gatewayUrl, anonymous)).status).toBe(401);
    });
  });

  describe('SendGrid', () => {
    eachFile('sendgrid', /\.multipart$/, async (file) => {
      const boundary = file.bytes.toString('latin1').slice(2).split(/\r?\n/)[0];
      await taken(file, as().sendgrid(file.bytes, `multipart/form-data; boundary=${boundary}`));
    });
    eachFile('sendgrid', /^(?!.*event-).*\.json$/, async (file) => {
      const fields = jsonOf<Record<string, unknown>>(file);
      const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
      await taken(file, as().sendgrid(multipart(texts), 'multipart/form-data; boundary=corpus'));
    });
  });

  describe('Mailgun', () => {
    const path = '/webhooks/email/mailgun';
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    eachFile('mailgun', /\.form$/, async (file) => {
      await taken(file, { path, body: file.bytes, headers: form });
    });
    eachFile('mailgun', /\.json$/, async (file) => {
      const fields = jsonOf<Record<string, string>>(file);
      if ('event-data' in fields) {
        await taken(file, { path, body: file.bytes, headers: { 'content-type': 'application/json' } });
        return;
      }
      // The same mail came as a form: its token is spent, so it comes with one of its own.
      await taken(file, as().mailgun(fields));
    });
    eachFile('mailgun', /\.txt$/, async (file) => {
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
    const quotesShown: string[] = [];
    const [expected] = filesOf('email-reply', /expected\.json$/).map((file) => jsonOf<Record<string, Expected>>(file));
    eachFile('email-reply', /\.txt$/, async (file) => {
      const name = file.name.replace(/^.*\/|\.txt$/g, '');
      const driven = await drive(desk(), as().mime(plainMail(name, file.bytes)));
      const [record] = await waiting(desk(), driven);
      const { hidden, shown } = judge(record?.body ?? '', file.bytes.toString('utf8'), expected?.[name]);
      const outcome = hidden ? 'NEW WORDS HIDDEN' : shown ? 'quotes shown' : 'as expected';
      if (shown) quotesShown.push(file.name);
      note({ ...file, meaning: saying(expected?.[name]) }, `${outcome}: ${JSON.stringify(record?.body.slice(-50))}`);
      expect([record?.body, hidden]).toEqual([expect.stringMatching(/\S/), false]);
    });
    // In doubt a quote is shown: so one of a few may be, and few of many.
    test('hardly a quote is shown', () => {
      expect(quotesShown.length > 1 + filesOf('email-reply').length / 20 ? quotesShown : []).toEqual([]);
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

/** Whether words that are new were folded, and whether more is shown than them. */
function judge(body: string, text: string, expected: Expected | undefined): { hidden: boolean; shown: boolean } {
  const plain = (words: string) => words.replaceAll(/\s+/g, ' ').trim();
  const isAllNew = expected?.fragments === 1 || expected?.note?.includes('nothing may be cut');
  const wanted = isAllNew ? [text] : [whole(expected) ?? expected?.contains ?? []].flat();
  const hidden = wanted.some((words) => !plain(body).includes(plain(words)));
  return { hidden, shown: whole(expected) !== undefined && plain(body).length > plain(whole(expected) ?? '').length };
}
