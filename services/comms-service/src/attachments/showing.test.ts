import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { uuidv7 } from '@ops/test-kit/builders';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { createSanitiser, type Sanitise } from '../html/sanitise-client.ts';
import { createShowing, type ShowHtml } from './showing-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'] });
});
afterAll(() => service.close());

const tables = 19_990;
const hostile = '<table>'.repeat(tables) + '</table>'.repeat(tables);

/** A mail with such an HTML version, and the id of that. */
async function mailOf(html: string, body = 'The words'): Promise<{ id: string; file: string }> {
  const log = '/ops/customers/C-1/communications';
  const sent = await service.post<Communication>(staff, log, { type: 'EMAIL', direction: 'INBOUND', body });
  const file = uuidv7();
  await service.db('attachments').insert({
    id: file,
    communication_id: sent.body.id,
    role: 'html',
    media_type: 'text/html',
    source: 'ingest',
    ref: file,
    state: 'STORED',
    content: Buffer.from(html),
    created_at: new Date(),
  });
  return { id: sent.body.id, file };
}
const show = (id: string) => service.get<string>(staff, `/ops/communications/${id}/html`);
const keptOf = (file: string) => service.db('attachments').where({ id: file }).first('page', 'page_rules');
const contentOf = async (showHtml: ShowHtml, id: string) => String((await showHtml(service.db, id)).content);

test('others are answered while a mail is made harmless that was made to stop us', async () => {
  const { id } = await mailOf(hostile);
  let isShown = false;
  const shown = show(id).finally(() => {
    isShown = true;
  });
  let answered = 0;
  while (!isShown) {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    answered += 1;
  }
  expect((await shown).status).toBe(200);
  // The statements before and after give room for some, the work itself for none where it is done in between.
  expect(answered).toBeGreaterThan(50);
});

test('a mail is made harmless once; whoever asks meanwhile waits for the same', async () => {
  const { id } = await mailOf('<p>Dear <b>firm</b></p>');
  let times = 0;
  const sanitise = createSanitiser();
  const counting: Sanitise = (mail) => {
    times += 1;
    return sanitise(mail);
  };
  const showHtml = createShowing(counting);
  const shown = await Promise.all([1, 2, 3].map(() => contentOf(showHtml, id)));
  shown.push(await contentOf(showHtml, id), await contentOf(createShowing(counting), id));
  expect(times).toBe(1);
  expect(new Set(shown).size).toBe(1);
  expect(shown[0]).toContain('<p>Dear <b>firm</b></p>');
});

test('what is kept is shown, and made anew when other rules made it', async () => {
  const { id, file } = await mailOf('<p>Dear firm</p>');
  await show(id);
  await service.db('attachments').where({ id: file }).update({ page: 'kept' });
  expect((await show(id)).body).toBe('kept');
  await service.db('attachments').where({ id: file }).update({ page_rules: 'older ones' });
  expect((await show(id)).body).toContain('<p>Dear firm</p>');
  expect((await keptOf(file))?.page).toContain('<p>Dear firm</p>');
});

test.each([
  ['time', { milliseconds: 1 }],
  ['memory', { megabytes: 8 }],
])('of what takes too much %s the text is shown, with a word why, and nobody tries again', async (_, limits) => {
  const { id, file } = await mailOf(hostile, 'Dear <firm>,\n  & all');
  const page = await contentOf(createShowing(createSanitiser(limits)), id);
  expect(page).toContain('cannot be made safe to show. Here is its text.');
  expect(page).toContain('Dear &#60;firm&#62;,\n  &#38; all');
  expect(await keptOf(file)).toMatchObject({ page: null, page_rules: expect.any(String) });
  const { status, headers, body } = await show(id);
  expect([status, headers.get('content-type'), body]).toEqual([200, 'text/html; charset=utf-8', page]);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
});

test('what finds no place in the line is shown as its text, and made harmless when it is opened again', async () => {
  const { id, file } = await mailOf('<p>Dear firm</p>');
  const none = createShowing(createSanitiser({ atOnce: 0, waiting: 0 }));
  expect(await contentOf(none, id)).toMatch(/open it again a little later.*The words/s);
  expect(await keptOf(file)).toEqual({ page: null, page_rules: null });
  expect((await show(id)).body).toContain('<p>Dear firm</p>');
});

test('a mail that is redacted while it is made harmless leaves no page behind', async () => {
  const { id, file } = await mailOf('<p>Dear firm</p>');
  const sanitise = createSanitiser();
  const redacting: Sanitise = async (mail) => {
    const made = await sanitise(mail);
    await service.db('attachments').where({ id: file }).update({ state: 'REDACTED', content: null });
    return made;
  };
  await createShowing(redacting)(service.db, id);
  expect(await keptOf(file)).toEqual({ page: null, page_rules: null });
  expect((await show(id)).status).toBe(404);
});
