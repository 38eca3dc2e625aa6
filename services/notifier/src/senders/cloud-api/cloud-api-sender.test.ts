import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { attemptId, messageOf } from '../../../test/message.ts';
import { answer, type Outside, startOutside } from '../../../test/outside.ts';
import type { FileToSend, Outcome, OutgoingMessage } from '../sender.ts';
import { createCloudApiSender } from './cloud-api-sender.ts';

let graph: Outside;

const took = answer(200, { messaging_product: 'whatsapp', messages: [{ id: 'wamid.1' }] });

beforeEach(async () => {
  graph = await startOutside((taken, res) =>
    taken.path.endsWith('/media') ? answer(200, { id: 'media-1' })(taken, res) : took(taken, res),
  );
});
afterEach(() => graph.close());

const templates = [
  { name: 'general_note', language: 'en' },
  { name: 'aviso_geral', language: 'pt_BR' },
];
const open = '2026-03-01T12:00:00Z';

function send(
  given: Partial<OutgoingMessage> = {},
  approved = templates,
  alertTemplates = [] as typeof templates,
): Promise<Outcome> {
  const settings = {
    baseUrl: `${graph.url}/v23.0/`,
    phoneNumberId: '1055',
    accessToken: 'not-a-token',
    timeoutMs: 2_000,
  };
  const sender = createCloudApiSender(
    { ...settings, templates: approved, alertTemplates },
    () => new Date('2026-03-01T10:00:00Z'),
  );
  return sender.send(messageOf({ type: 'MESSAGING_APP', window_open_until: open, ...given }), attemptId);
}

const lastPayload = () => JSON.parse(Buffer.from(graph.journal.at(-1)?.body ?? '', 'latin1').toString('utf8'));

const common = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '+447700900123',
  biz_opaque_callback_data: attemptId,
};

test('free text while the window is open, with our id for the receipts', async () => {
  expect(await send({ body: 'Grüße 😀' })).toEqual({ kind: 'accepted', providerMessageId: 'wamid.1' });
  expect(graph.journal).toMatchObject([
    { path: '/v23.0/1055/messages', headers: { authorization: 'Bearer not-a-token' } },
  ]);
  expect(lastPayload()).toEqual({ ...common, type: 'text', text: { body: 'Grüße 😀', preview_url: false } });
});

test('an answer names what it answers', async () => {
  await send({ thread: { external_id: 'wamid.0', references: [] } });
  expect(lastPayload()).toMatchObject({ context: { message_id: 'wamid.0' } });
});

test('a customer without a phone is reached by the user id, in the field made for it', async () => {
  await send({ to: null, user_id: 'GB.1349' });
  expect(lastPayload()).toMatchObject({ recipient: 'GB.1349' });
  expect(lastPayload()).not.toHaveProperty('to');
  expect(await send({ to: null })).toMatchObject({ kind: 'refused', code: 'no_recipient' });
});

test.each([
  ['pt-BR', 'aviso_geral', 'pt_BR'],
  ['pt', 'aviso_geral', 'pt_BR'],
  ['en-GB', 'general_note', 'en'],
  ['fi', 'general_note', 'en'],
  [null, 'general_note', 'en'],
])('outside the window: a template in the best language for %s', async (locale, name, code) => {
  await send({ window_open_until: '2026-03-01T10:00:00Z', locale, body: 'Dear Ada,\n\n  your permit\tis ready. ' });
  expect(lastPayload()).toEqual({
    ...common,
    type: 'template',
    template: {
      name,
      language: { code },
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'Dear Ada, your permit is ready.' }] }],
    },
  });
});

test('a reminder goes by a template that was approved for reminders, where there is one', async () => {
  const reminders = [{ name: 'expiry_reminder', language: 'en' }];
  const outside = { window_open_until: null, body: 'Due soon' };
  const named = () => lastPayload().template.name;
  await send({ ...outside, automated: true }, templates, reminders);
  expect(named()).toBe('expiry_reminder');
  await send({ ...outside, automated: false }, templates, reminders);
  expect(named()).toBe('general_note');
  await send({ ...outside, automated: true });
  expect(named()).toBe('general_note');
});

const outside = { window_open_until: null, body: 'Due soon' };
const [english, portuguese] = templates as [(typeof templates)[0], (typeof templates)[0]];
const sentIn = () => [lastPayload().template?.name, lastPayload().template?.language.code];

test.each([
  [english, 'pt-BR'],
  [portuguese, 'en'],
  [portuguese, null],
])(
  'outside the window: the template somebody chose, %j, whatever language the customer has: %s',
  async (template, locale) => {
    expect(await send({ ...outside, locale, template })).toMatchObject({ kind: 'accepted' });
    expect(sentIn()).toEqual([template.name, template.language]);
  },
);

test('one of those for reminders may be chosen, and one of the others for what nobody wrote', async () => {
  const reminder = { name: 'expiry_reminder', language: 'en' };
  await send({ ...outside, template: reminder }, templates, [reminder]);
  expect(sentIn()).toEqual(['expiry_reminder', 'en']);
  await send({ ...outside, template: portuguese, automated: true }, templates, [reminder]);
  expect(sentIn()).toEqual(['aviso_geral', 'pt_BR']);
});

test('while the window is open words go as they are, whatever was chosen', async () => {
  await send({ body: 'Line\nby line', template: { name: 'gone', language: 'en' } });
  expect(lastPayload()).toEqual({ ...common, type: 'text', text: { body: 'Line\nby line', preview_url: false } });
});

test.each([
  [{ name: 'gone', language: 'en' }, templates],
  [{ name: 'general_note', language: 'pt_BR' }, templates],
  [{ name: 'general_note', language: 'EN' }, templates],
  [english, []],
])('a chosen template that is not configured is replaced by no other: %j', async (template, approved) => {
  expect(await send({ ...outside, template }, approved)).toMatchObject({
    kind: 'refused',
    code: 'template_unknown',
    message: expect.stringContaining(`${template.name}, ${template.language}`),
  });
  expect(graph.journal).toEqual([]);
});

const file = (media_type: string, size = 10): FileToSend => ({
  name: 'a.bin',
  media_type,
  content: Buffer.alloc(size),
});

test.each([
  [{ window_open_until: null }, [], 'template_required'],
  [{ window_open_until: null, attachments: [file('image/png')] }, templates, 'template_required'],
  [{ window_open_until: null, body: 'a'.repeat(1_025) }, templates, 'template_text_too_long'],
  [{ window_open_until: null, template: portuguese, body: 'a'.repeat(1_025) }, templates, 'template_text_too_long'],
  [{ window_open_until: null, template: portuguese, attachments: [file('image/png')] }, templates, 'template_required'],
  [{ body: 'a'.repeat(4_097) }, templates, 'text_too_long'],
  [{ body: 'a'.repeat(1_025), attachments: [file('image/png')] }, templates, 'text_too_long'],
  [{ attachments: [file('image/png'), file('image/png')] }, templates, 'one_file_only'],
])('what the app would not take is refused before anything leaves: %#', async (given, approved, code) => {
  expect(await send(given, approved)).toMatchObject({ kind: 'refused', code });
  expect(graph.journal).toEqual([]);
});

test.each([
  ['image/png', 10, 'image', {}],
  ['image/png', 5 * 1024 * 1024 + 1, 'document', { filename: 'a.bin' }],
  ['video/mp4', 10, 'video', {}],
  ['audio/mpeg', 10, 'document', { filename: 'a.bin' }],
  ['application/pdf', 10, 'document', { filename: 'a.bin' }],
  ['constructor', 10, 'document', { filename: 'a.bin' }],
])('a file of %s (%i bytes) is uploaded, then sent as %s with the words beside it', async (type, size, kind, named) => {
  expect(await send({ body: 'Here it is', attachments: [file(type, size)] })).toMatchObject({ kind: 'accepted' });
  expect(graph.journal.map(({ path }) => path)).toEqual(['/v23.0/1055/media', '/v23.0/1055/messages']);
  expect(graph.journal[0]?.body).toContain('name="messaging_product"');
  expect(lastPayload()).toEqual({ ...common, type: kind, [kind]: { id: 'media-1', caption: 'Here it is', ...named } });
});

test('a file without words has no caption', async () => {
  expect(await send({ body: '', attachments: [file('image/png', 10)] })).toMatchObject({ kind: 'accepted' });
  expect(lastPayload()).toEqual({ ...common, type: 'image', image: { id: 'media-1' } });
});

test.each([
  ['an error of its own', answer(500, {}), { kind: 'not_taken', reason: 'the file was not uploaded: HTTP 500' }],
  ['words nobody understands', answer(200, 'fine'), { kind: 'not_taken' }],
  [
    'a refusal',
    answer(400, { error: { code: 131_053, message: 'Media upload error' } }),
    { kind: 'refused', code: 'cloud-api:131053' },
  ],
])('an upload that meets %s sends nothing', async (_, how, outcome) => {
  graph.behave(how);
  expect(await send({ attachments: [file('image/png')] })).toMatchObject(outcome);
  expect(graph.journal).toHaveLength(1);
});

const problem = (code: number) => ({ error: { code, message: '(#1) No', error_data: { details: 'Because' } } });

test.each([
  [answer(400, problem(131_047)), { kind: 'refused', code: 'cloud-api:131047', detail: 'Because' }],
  [answer(401, problem(190)), { kind: 'refused', code: 'cloud-api:190' }],
  [answer(400, problem(131_056)), { kind: 'not_taken' }],
  [answer(429, problem(130_429), { 'Retry-After': '2' }), { kind: 'not_taken', retryAfterMs: 2_000 }],
  [answer(500, problem(130_429)), { kind: 'uncertain' }],
  [answer(500, problem(131_000)), { kind: 'uncertain', reason: 'HTTP 500' }],
])('the provider’s answer %#', async (how, outcome) => {
  graph.behave(how);
  expect(await send()).toMatchObject(outcome);
});
