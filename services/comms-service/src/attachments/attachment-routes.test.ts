import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import {
  type Attachment,
  type Communication,
  type CustomerFile,
  mostAttachmentBytes,
} from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { startTestProvider, type TestProvider } from '../../test/provider.ts';
import { automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let outside: TestProvider;

beforeAll(async () => {
  outside = await startTestProvider();
  service = await startTestService({
    WEBHOOK_INGEST_URL: outside.url,
    MESSAGING_APP_BASE_URL: `${outside.url}/v23.0`,
    MESSAGING_APP_ACCESS_TOKEN: 'token',
    ATTACHMENT_MAX_BYTES: '1000',
    UNSENT_FILES_MAX_BYTES: String(2 * mostAttachmentBytes),
  });
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', emails: ['ada@example.com'] });
  await service.put(staff, '/ops/customers/C-2', { name: 'Bob Demo' });
});
afterAll(async () => {
  await service.close();
  await outside.close();
});
beforeEach(() => service.forgetEvents());

const log = '/ops/customers/C-1/communications';
const unknown = '0195c4e0-0000-7000-8000-000000000001';
const pdf = { 'content-type': 'application/pdf' };
const email = { type: 'EMAIL', direction: 'OUTBOUND', body: 'See attached' };

const upload = async (content = Buffer.from('%PDF-1.7 fictional'), name = 'Permit.pdf', headers: object = pdf) => {
  const path = `/ops/customers/C-1/attachments?name=${encodeURIComponent(name)}`;
  return service.post<Attachment>(staff, path, content, { ...headers });
};
const send = (record: object, to = 'C-1') =>
  service.post<Communication & Pick<Problem, 'errors'>>(staff, `/ops/customers/${to}/communications`, record);

async function incoming(change: object): Promise<string> {
  const record = { type: 'EMAIL', direction: 'INBOUND', body: 'See attached' };
  const { body } = await service.post<Communication>(staff, log, record);
  const id = uuidv7();
  const file = {
    id,
    communication_id: body.id,
    role: 'file',
    media_type: 'application/pdf',
    source: 'ingest',
    ref: id,
  };
  const due = { state: 'PENDING', next_try_at: new Date(), created_at: new Date() };
  await service.db('attachments').insert({ ...file, ...due, ...change });
  return id;
}
const stored = (change: object) =>
  incoming({ state: 'STORED', content: Buffer.from('file'), next_try_at: null, ...change });
const rowOf = (id: string) => service.db('attachments').where({ id }).first();
const recordOf = async (id: string) => (await rowOf(id)).communication_id as string;

test('a file is uploaded, goes out with the communication that names it, and is pulled by its sender alone', async () => {
  const { status, body: file } = await upload();
  expect({ status, file }).toMatchObject({
    status: 201,
    file: { name: 'Permit.pdf', media_type: 'application/pdf', size: 18, state: 'STORED', failure: null },
  });
  const { body } = await send({ ...email, attachments: [file.id] });
  expect(body.attachments).toEqual([file]);
  const [queued] = await service.events();
  expect(queued?.data).toMatchObject({
    attachments: [{ id: file.id, name: 'Permit.pdf', media_type: 'application/pdf', size: 18 }],
  });
  const pulled = await service.asked('notifier', `/internal/attachments/${file.id}`);
  expect([pulled.status, await pulled.text()]).toEqual([200, '%PDF-1.7 fictional']);
  expect((await service.asked('webhook-ingest', `/internal/attachments/${file.id}`)).status).toBe(403);
  expect((await service.asked('notifier', `/internal/attachments/${unknown}`)).status).toBe(404);
  const permission = await service.asked('notifier', `/internal/communications/${body.id}/send-permission?attempt=1`);
  expect(await permission.json()).toMatchObject({ may_send: true });
});

test('files go in the order they are named in', async () => {
  const ids = [(await upload()).body.id, (await upload()).body.id, (await upload()).body.id].reverse();
  const { body } = await send({ ...email, attachments: ids });
  expect(body.attachments.map(({ id }) => id)).toEqual(ids);
});

test('files need no words beside them; nothing at all is refused', async () => {
  const { body: file } = await upload();
  expect(await send({ ...email, body: '', attachments: [file.id] })).toMatchObject({
    status: 201,
    body: { body: '', attachments: [{ id: file.id }] },
  });
  expect((await service.events())[0]?.data).toMatchObject({ body: '', attachments: [{ id: file.id }] });
  for (const attachments of [[], undefined]) {
    const { status, body } = await send({ ...email, body: '', attachments });
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'body' });
  }
});

test('a file goes out once, to whom it was uploaded for', async () => {
  const { body: file } = await upload();
  await send({ ...email, attachments: [file.id] });
  const fresh = (await upload()).body.id;
  const came = await stored({});
  for (const [record, to] of [
    [{ ...email, attachments: [fresh, file.id] }, 'C-1'],
    [{ ...email, attachments: [fresh, unknown] }, 'C-1'],
    [{ ...email, attachments: [fresh, came] }, 'C-1'],
  ] as const) {
    const { status, body } = await send(record, to);
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'attachments.1' });
  }
  expect((await send({ ...email, attachments: [fresh] }, 'C-2')).body.errors?.[0]?.path).toBe('attachments.0');
  expect(await send({ ...email, attachments: [fresh.toUpperCase()] })).toMatchObject({ status: 201 });
});

test('of two that name the same file at once, one sends it', async () => {
  const { body: file } = await upload();
  const answers = await Promise.all(Array.from({ length: 6 }, () => send({ ...email, attachments: [file.id] })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(422)]);
});

test.each([
  [{ ...email, type: 'SMS' }],
  [{ ...email, direction: 'INBOUND' }],
  [{ type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: 'Hello' }],
])('%j takes no file', async (record) => {
  const { status, body } = await send({ ...record, attachments: [unknown] });
  expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'attachments' });
});

test('the messaging app takes one file, an e-mail 20 MiB in all', async () => {
  const two = [(await upload()).body.id, (await upload()).body.id];
  const message = { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Hello' };
  expect((await send({ ...message, attachments: two })).body.errors?.[0]?.path).toBe('attachments');
  expect((await send({ ...message, attachments: two.slice(0, 1) })).status).toBe(201);
  const large = (await upload(Buffer.alloc(mostAttachmentBytes))).body.id;
  expect((await send({ ...email, attachments: [large, two[1]] })).body.errors?.[0]?.path).toBe('attachments');
  expect((await send({ ...email, attachments: [large] })).status).toBe(201);
});

test('an upload needs a name, a content, a size within the limit and a customer', async () => {
  expect(await service.post(staff, '/ops/customers/C-1/attachments', Buffer.from('x'), pdf)).toMatchObject({
    status: 422,
    body: { errors: [{ path: 'name' }] },
  });
  expect(await upload(Buffer.alloc(0))).toMatchObject({ status: 400 });
  expect(await upload(Buffer.alloc(mostAttachmentBytes + 1))).toMatchObject({ status: 413 });
  expect(await service.post(staff, '/ops/customers/nobody/attachments?name=a', Buffer.from('x'))).toMatchObject({
    status: 404,
  });
  expect(await service.post(customer('C-1'), '/ops/customers/C-1/attachments?name=a', Buffer.from('x'))).toMatchObject({
    status: 403,
  });
});

test('a program is not taken, and why not is said at its name', async () => {
  const { status, body } = await upload(undefined, 'setup.exe');
  expect({ status, body }).toMatchObject({ status: 422, body: { errors: [{ path: 'name' }] } });
});

test('who uploads without end and sends nothing is refused, until something was sent; others are not', async () => {
  const by = (actor: Actor, bytes: number) =>
    service.post<Attachment>(actor, '/ops/customers/C-1/attachments?name=a.pdf', Buffer.alloc(bytes), pdf);
  const full = [await by(automation, mostAttachmentBytes), await by(automation, mostAttachmentBytes)];
  expect(full.map(({ status }) => status)).toEqual([201, 201]);
  expect(await by(automation, 1)).toMatchObject({ status: 409 });
  expect((await by(staff, 1)).status).toBe(201);
  await send({ ...email, attachments: [full[0]?.body.id] });
  expect((await by(automation, 1)).status).toBe(201);
});

test('a file is served a piece at a time, whole, and one that is removed meanwhile breaks off', async () => {
  const content = randomBytes(12 * 1024 * 1024);
  const id = await stored({ content });
  const get = () => service.asked('notifier', `/internal/attachments/${id}`);
  const whole = await get();
  expect(whole.headers.get('content-length')).toBe(String(content.length));
  expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
  const reader = (await get()).body?.getReader();
  await reader?.read();
  await service.db('attachments').where({ id }).update({ state: 'REDACTED', content: null });
  const rest = async () => {
    for (;;) if ((await reader?.read())?.done) return;
  };
  await expect(rest()).rejects.toThrow();
});

test('the same upload under one Idempotency-Key is one file; another content under it is refused', async () => {
  const once = { ...pdf, 'idempotency-key': 'upload-once' };
  const [first, second] = [await upload(undefined, 'a.pdf', once), await upload(undefined, 'a.pdf', once)];
  expect([second.status, second.body.id]).toEqual([201, first.body.id]);
  expect(await upload(Buffer.from('other'), 'a.pdf', once)).toMatchObject({ status: 422 });
});

const jpeg = Buffer.from('\xff\xd8\xff', 'latin1');

test.each<[string, string | null, string, string | RegExp, Buffer?]>([
  ['application/pdf', 'Pass.pdf', 'application/octet-stream', 'attachment; filename=Pass.pdf'],
  ['image/png', 'fake.png', 'application/octet-stream', 'attachment; filename=fake.png', Buffer.from('%PDF-1.7')],
  ['text/html', 'x.pdf', 'application/octet-stream', 'attachment; filename=x.pdf', Buffer.from('%PDF-1.7')],
  ['image/png', 'scan.png', 'image/png', 'inline; filename=scan.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['image/png', 'fake.png', 'application/octet-stream', 'attachment; filename=fake.png'],
  ['audio/ogg; codecs=opus', null, 'audio/ogg', 'inline; filename=file.ogg', Buffer.from('OggS')],
  ['text/html', 'x.html', 'application/octet-stream', 'attachment; filename=x.html'],
  ['image/svg+xml', 'x.svg', 'application/octet-stream', 'attachment; filename=x.svg'],
  ['text/html\r\nSet-Cookie: x', 'x.html', 'application/octet-stream', 'attachment; filename=x.html'],
  ['image/jpeg', null, 'image/jpeg', 'inline; filename=file.jpg', jpeg],
  ['image/jpeg', 'a"b\\c\r\n.jpg', 'image/jpeg', 'inline; filename=c.jpg', jpeg],
  ['application/pdf', 'Zürich 日本.pdf', 'application/octet-stream', /^attachment; .*filename\*=UTF-8''Z%C3%BCrich/],
])('%j named %j is served harmlessly', async (media_type, name, served, disposition, content = Buffer.from('file')) => {
  const id = await stored({ media_type, name, content });
  const { status, headers } = await service.get(staff, `/ops/attachments/${id}`);
  expect([status, headers.get('content-type')]).toEqual([200, served]);
  expect(headers.get('content-disposition')).toMatch(disposition);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
});

test('a PDF that is one is shown by the browser’s own viewer, which runs in no sandbox, in a page of ours alone', async () => {
  const id = await stored({ media_type: 'application/pdf', name: 'Pass.pdf', content: Buffer.from('%PDF-1.7') });
  const { status, headers } = await service.get(staff, `/ops/attachments/${id}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'application/pdf']);
  expect(headers.get('content-disposition')).toBe('inline; filename=Pass.pdf');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'self'");
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
});

test('the files of a customer are listed newest first, page by page, for staff alone', async () => {
  await service.put(staff, '/ops/customers/C-files', { name: 'Fay Demo', emails: ['fay@example.com'] });
  const files = '/ops/customers/C-files/attachments';
  expect((await service.get(staff, files)).body).toEqual({ data: [], next_cursor: null });
  const ids: string[] = [];
  for (const [n, name] of ['a.pdf', 'b.pdf', 'c.pdf', 'd.pdf'].entries()) {
    const id = await stored({ name, size: 4 });
    const record = { customer_id: 'C-files', occurred_at: new Date(Date.UTC(2031, 0, n + 1)) };
    await service
      .db('communications')
      .where({ id: await recordOf(id) })
      .update(record);
    ids.push(id);
  }
  // The fourth was removed, and of the third one only its picture of a page is left.
  await service.db('attachments').where({ id: ids[3] }).update({ state: 'REDACTED', content: null });
  await service.db('attachments').insert({ ...(await rowOf(ids[2] as string)), id: uuidv7(), role: 'html' });
  await upload();
  const { body: first } = await service.get<Page<CustomerFile>>(staff, `${files}?limit=2`);
  expect(first.data).toMatchObject([
    {
      id: ids[2],
      name: 'c.pdf',
      size: 4,
      type: 'EMAIL',
      direction: 'INBOUND',
      occurred_at: '2031-01-03T00:00:00.000000Z',
    },
    { id: ids[1], communication_id: await recordOf(ids[1] as string) },
  ]);
  const { body: rest } = await service.get<Page<CustomerFile>>(staff, `${files}?limit=2&cursor=${first.next_cursor}`);
  expect([rest.data.map(({ id }) => id), rest.next_cursor]).toEqual([[ids[0]], null]);
  for (const actor of [automation, customer('C-files')])
    expect(await service.get(actor, files)).toMatchObject({ status: 403 });
  expect(await service.get(staff, '/ops/customers/nobody/attachments')).toMatchObject({ status: 404 });
});

test('a file is for staff; what is not there is not found', async () => {
  const id = await stored({});
  for (const actor of [automation, customer('C-1')])
    expect(await service.get(actor, `/ops/attachments/${id}`)).toMatchObject({ status: 403 });
  expect(await service.get(staff, `/ops/attachments/${unknown}`)).toMatchObject({ status: 404 });
  for (const change of [{ state: 'FAILED' }, { state: 'REDACTED', content: null }, { role: 'html' }])
    expect(await service.get(staff, `/ops/attachments/${await stored(change)}`)).toMatchObject({ status: 404 });
});

test('a part of an e-mail is pulled from webhook-ingest, signed, and shown with its message', async () => {
  outside.answer((_req, res) => res.end('part'));
  const id = await incoming({ name: 'a.txt' });
  const file = await eventually(async () => {
    const { body } = await service.get<Page<Communication>>(staff, `${log}?limit=1&type=EMAIL&direction=INBOUND`);
    const [found] = body.data[0]?.attachments ?? [];
    expect(found?.state).toBe('STORED');
    return found;
  });
  expect(file).toMatchObject({ id, name: 'a.txt', size: 4 });
  expect(outside.asked.some(({ path }) => path === `/internal/delivery-parts/${id}`)).toBe(true);
  expect((await service.get(staff, `/ops/attachments/${id}`)).body).toBe('part');
});

test('media of the messaging app are fetched with our token; too large a file fails, visibly', async () => {
  const media = { source: 'provider', provider: 'cloud-api' };
  outside.answer((req, res) => {
    if (req.url?.startsWith('/v23.0/')) res.end(JSON.stringify({ url: `${outside.url}/file${req.url.slice(6)}` }));
    else res.end(req.url === '/file/small' ? 'voice' : Buffer.alloc(1001));
  });
  const [small, large] = [await incoming({ ...media, ref: 'small' }), await incoming({ ...media, ref: 'large' })];
  await eventually(async () => {
    expect(await rowOf(small)).toMatchObject({ state: 'STORED', content: Buffer.from('voice') });
    expect(await rowOf(large)).toMatchObject({ state: 'FAILED', failure: { code: 'too_large' }, content: null });
  });
  const asked = outside.asked.filter(({ path }) => /small|large/.test(path));
  expect(asked.every(({ authorization }) => authorization === 'Bearer token')).toBe(true);
});

test('a failed fetch is tried again when staff ask for it; its message stays as it was', async () => {
  outside.answer((_req, res) => res.writeHead(404).end());
  const id = await incoming({});
  await eventually(async () => expect(await rowOf(id)).toMatchObject({ state: 'FAILED', failure: { code: 'gone' } }));
  outside.answer((_req, res) => res.end('there after all'));
  await service.forgetEvents();
  const retry = () => service.post<Attachment>(staff, `/ops/attachments/${id}/retry`);
  expect(await retry()).toMatchObject({ status: 200, body: { id, state: 'PENDING', failure: null } });
  await eventually(async () => expect(await rowOf(id)).toMatchObject({ state: 'STORED', failure: null }));
  expect(await retry()).toMatchObject({ status: 409 });
  const told = (await service.events()).map(({ type, data }) => [type, data.change, data.communication_id]);
  expect(told).toEqual(Array(2).fill(['communication.changed', 'attachment', await recordOf(id)]));
});

test('only a file of a message is fetched again', async () => {
  const { body } = await upload();
  for (const id of [body.id, unknown])
    expect(await service.post(staff, `/ops/attachments/${id}/retry`)).toMatchObject({ status: 404 });
});

const html = `<p onclick="alert(1)">Dear <b>firm</b></p><script>alert(2)</script>
  <img src="cid:logo@example.com"><img src="cid:script"><img src="https://evil.example/track.gif">`;

test('the HTML of a mail is shown clean, its own pictures in it, and never listed as a file', async () => {
  const page = await stored({ role: 'html', media_type: 'text/html', content: Buffer.from(html) });
  const communication_id = await recordOf(page);
  const picture = { communication_id, content_id: 'logo@example.com', media_type: 'image/png', name: 'logo.png' };
  const logo = await stored(picture);
  await stored({ ...picture, content_id: 'script', media_type: 'image/svg+xml' });
  const { status, headers, body } = await service.get<string>(staff, `/ops/communications/${communication_id}/html`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  expect(body).toContain('<b>firm</b>');
  expect(body).toContain(`/ops/attachments/${logo}`);
  expect(body).not.toMatch(/alert|evil|cid:/);
  const listed = await service.get<Page<Communication>>(staff, `${log}?limit=200`);
  const record = listed.body.data.find(({ id }) => id === communication_id);
  expect([record?.has_html, record?.attachments.some(({ id }) => id === page)]).toEqual([true, false]);
});

test('what has no HTML, does not exist or is not for a customer to see this way is not shown', async () => {
  const plain = await recordOf(await stored({}));
  for (const id of [plain, unknown])
    expect(await service.get(staff, `/ops/communications/${id}/html`)).toMatchObject({ status: 404 });
  expect(await service.get(customer('C-1'), `/ops/communications/${plain}/html`)).toMatchObject({ status: 403 });
});
