import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Attachment, Communication } from '@ops/contracts/resources/communication';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { unzipped } from '@ops/test-kit/unzipped';
import { said, taken } from '../../test/message.ts';
import { admin, automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { startTellingServices, type TellingServices } from '../../test/telling-services.ts';

let service: TestService;
let others: TellingServices;
let turn = 0;
/** Of each test its own. */
let id: string;
let phone: string;

beforeAll(async () => {
  others = await startTellingServices();
  service = await startTestService({ ...others.settings, RETENTION_CRON: 'off' });
});
afterAll(async () => {
  await service.close();
  await others.close();
});
beforeEach(async () => {
  others.reset();
  turn += 1;
  id = `C-${turn}`;
  phone = `+4477009007${String(turn).padStart(2, '0')}`;
  await service.put(staff, of(), { name: 'Ada Demo', phones: [phone] });
});

const of = (customer = id) => `/ops/customers/${customer}`;
const ask = (customer = id) => service.download(admin, `${of(customer)}/export`);
const archive = async (customer = id) => unzipped(Buffer.from(await (await ask(customer)).arrayBuffer()));
const post = <T>(path: string, body?: unknown) => service.post<T>(staff, `${of()}${path}`, body);
const history = async () =>
  (await service.get<Page<AuditEntry>>(staff, `${of()}/history`)).body.data.filter(
    ({ action }) => action === 'exportCustomer',
  );

type Rows = Record<string, unknown>[];
const rowsIn = (files: Map<string, Buffer>, path: string): Rows => JSON.parse(files.get(path)?.toString() ?? 'null');
const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');
interface Manifest {
  customer_id: string;
  aliases: string[];
  exported_by: string;
  files: { path: string; from: string; rows?: number; bytes: number; sha256: string }[];
}
const manifestIn = (files: Map<string, Buffer>): Manifest =>
  JSON.parse(files.get('manifest.json')?.toString() ?? 'null');

const upload = async (name: string, content: Buffer) =>
  (
    await service.post<Attachment>(staff, `${of()}/attachments?name=${encodeURIComponent(name)}`, content, {
      'content-type': 'text/plain',
    })
  ).body.id;

test('all that was said and is known is in it, the notes marked, each file as it was stored, and the manifest says what is there', async () => {
  const [one, edit] = [
    said({ body: 'Words of theirs', sender: { phone } }),
    said({ kind: 'edit', body: 'Better words', sender: { phone } }),
  ];
  edit.target_external_id = one.external_id;
  await taken(service, one, edit, said({ body: 'Of a stranger', sender: { phone: '+447700900999' } }));
  await post('/notes', { body: 'Careful <b>with</b> them' });
  const file = await upload('Pass.txt', Buffer.from('a passport'));
  const mail = { type: 'EMAIL', direction: 'OUTBOUND', body: 'See this', subject: 'Pass', attachments: [file] };
  await service.put(staff, of(), { name: 'Ada Demo', phones: [phone], emails: ['ada@example.com'] });
  const sent = (await post<Communication>('/communications', mail)).body;
  await service.put(admin, `${of()}/legal-hold`, { on: true, reason: 'Case 1' });
  await service.put(staff, `${of()}/opt-outs`, {
    kind: 'phone',
    value: phone,
    channel: 'SMS',
    opted_out: true,
    reason: 'asked',
  });

  const files = await archive();
  const comms = (kind: string) => rowsIn(files, `comms-service/${kind}.json`);
  expect(comms('customer')).toMatchObject([{ id, name: 'Ada Demo' }]);
  expect(
    comms('identifiers')
      .map(({ value }) => value)
      .sort(),
  ).toEqual([phone, 'ada@example.com'].sort());
  expect(comms('communications')).toMatchObject([
    { id: one.item_id, body: 'Words of theirs', internal: false, amendments: [{ body: 'Better words' }] },
    { type: 'INTERNAL_NOTE', internal: true },
    { id: sent.id, attachments: [{ id: file, name: 'Pass.txt' }] },
  ]);
  expect(comms('edits-and-reactions')).toMatchObject([{ id: edit.item_id, content: 'Better words' }]);
  expect(comms('legal-holds')).toMatchObject([{ reason: 'Case 1' }]);
  expect(comms('opt-outs')).toMatchObject([{ address: `phone:${phone}`, reason: 'asked' }]);
  expect(comms('who-changed-what').map(({ action }) => action)).toEqual(
    expect.arrayContaining(['putCustomer', 'setLegalHold', 'setOptOut', 'exportCustomer']),
  );
  expect(files.get(`files/${file}/Pass.txt`)?.toString()).toBe('a passport');
  expect([...files.values()].some((content) => content.includes('Of a stranger'))).toBe(false);

  const manifest = manifestIn(files);
  expect(manifest).toMatchObject({ customer_id: id, aliases: [], exported_by: 'chief-1' });
  expect(manifest.files.map(({ path }) => path)).toEqual([...files.keys()].filter((path) => path !== 'manifest.json'));
  for (const { path, bytes, sha256, rows } of manifest.files) {
    const content = files.get(path) ?? Buffer.alloc(0);
    expect([path, bytes, sha256]).toEqual([path, content.length, digestOf(content)]);
    if (rows !== undefined) expect([path, rowsIn(files, path).length]).toEqual([path, rows]);
  }
});

test('the page tells all of it, in the order of time, and leads to the files', async () => {
  const late = said({ body: 'Later words', sender: { phone }, occurred_at: '2026-03-02T12:00:00Z' });
  await taken(service, late, said({ body: 'Earlier <script>words', sender: { phone } }));
  const file = await upload('A <b>.txt', Buffer.from('x'));
  const page = (await archive()).get('index.html')?.toString() ?? '';
  const at = ['Earlier &#60;script&#62;words', 'Later words'].map((words) => page.indexOf(words));
  expect([at, at.includes(-1)]).toEqual([at.toSorted((one, other) => one - other), false]);
  expect(page).toContain(`href="files/${file}/A%20_b_.txt"`);
  expect(page).not.toMatch(/<script|<b>/);
  expect(page).toContain('Who they are</a>: 1');
});

test('other services are asked by all ids of theirs, and webhook-ingest by what it brought of them', async () => {
  const message = said({ sender: { phone } });
  await taken(service, message);
  const other = `${id}-other`;
  await service.put(staff, of(other), { name: 'Ada Twice', emails: ['twice@example.com'] });
  await service.post(staff, `${of(other)}/merge`, { into: id });
  const files = await archive(other);
  expect(others.orders.notifier?.customer_ids).toEqual([id, other]);
  expect(others.orders['webhook-ingest']).toMatchObject({
    records: [message.item_id],
    externals: [message.external_id],
  });
  expect(rowsIn(files, 'comms-service/customer.json').map((row) => row.id)).toEqual([id, other]);
  expect(rowsIn(files, 'comms-service/merges.json')).toMatchObject([{ customer_id: other, merged_into: id }]);
  expect(manifestIn(files)).toMatchObject({ customer_id: id, aliases: [other] });
});

test('what others tell is beside it by service and kind, also that there is nothing of a kind, with the bodies that are theirs alone', async () => {
  const [theirs, mixed] = [uuidv7(), uuidv7()];
  others.bodies = { [theirs]: Buffer.from('{"raw":"body"}'), [mixed]: Buffer.from('what others wrote') };
  others.telling['webhook-ingest'].lines = [
    { kind: 'webhook-deliveries', title: 'Posted' },
    { row: { id: theirs, content_type: 'application/json', body: 'theirs' } },
    { row: { id: mixed, content_type: 'application/json', body: 'with what others wrote' } },
    { end: true },
  ];
  others.telling.notifier.lines = [
    { kind: 'tasks', title: 'Tasks' },
    { kind: 'sends', title: 'Sends' },
    { row: { to: 'x' } },
    { end: true },
  ];
  const files = await archive();
  expect([...files.keys()].filter((path) => !path.startsWith('comms-service/'))).toEqual([
    'webhook-ingest/webhook-deliveries.json',
    'notifier/tasks.json',
    'notifier/sends.json',
    `webhook-ingest/bodies/${theirs}.json`,
    'index.html',
    'manifest.json',
  ]);
  expect([rowsIn(files, 'notifier/tasks.json'), rowsIn(files, 'notifier/sends.json')]).toEqual([[], [{ to: 'x' }]]);
  expect(files.get(`webhook-ingest/bodies/${theirs}.json`)?.toString()).toBe('{"raw":"body"}');
  expect(files.get('index.html')?.toString()).toContain(`href="webhook-ingest/bodies/${theirs}.json"`);
});

test('only an admin takes it, of a customer there is', async () => {
  for (const actor of [staff, automation]) expect((await service.download(actor, `${of()}/export`)).status).toBe(403);
  expect((await ask('C-none')).status).toBe(404);
});

test('it is written down who took it, before the first of it leaves, and stands in the history', async () => {
  const answer = await ask();
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toMatch(new RegExp(`^attachment; filename=customer-${id}-.*zip`));
  await answer.body?.cancel();
  expect(await history()).toMatchObject([{ actor: 'chief-1', changes: [{ field: 'exported', new: true }] }]);
});

test.each(['renewals-service', 'webhook-ingest', 'notifier'] as const)(
  'while %s is away nothing leaves, nothing is written down as taken, and nothing stays open',
  async (name) => {
    for (const telling of Object.values(others.telling)) telling.goesOn = true;
    others.telling[name].away = true;
    const answer = await ask();
    const problem = (await answer.json()) as Problem;
    expect([answer.status, problem.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '2']);
    expect(await history()).toEqual([]);
    await eventually(() => expect(others.open()).toBe(0));
  },
);

const broken: [string, () => void][] = [
  [
    'dies',
    () =>
      Object.assign(others.telling.notifier, {
        dies: true,
        lines: [{ kind: 'tasks', title: 'Tasks' }, { row: { id: 1 } }],
      }),
  ],
  [
    'ends before it said that this was all',
    () => Object.assign(others.telling.notifier, { lines: [{ kind: 'tasks', title: 'Tasks' }] }),
  ],
  [
    'says something else',
    () => Object.assign(others.telling.notifier, { lines: [{ kind: '../../x', title: 'x' }, { end: true }] }),
  ],
  [
    'names a path that leads out of the archive',
    () => {
      const row = { id: '../../../x', content_type: null, body: 'theirs' };
      others.telling['webhook-ingest'].lines = [{ kind: 'webhook-deliveries', title: 'x' }, { row }, { end: true }];
    },
  ],
];
test.each(broken)('a service that %s midway breaks the archive off: what came is none', async (_, breaks) => {
  breaks();
  const answer = await ask();
  expect(answer.status).toBe(200);
  const came: Buffer[] = [];
  await expect(toEnd(piecesOf(answer), came)).rejects.toThrow();
  await expect(unzipped(Buffer.concat(came))).rejects.toThrow();
  await eventually(() => expect(others.open()).toBe(0));
});

async function* piecesOf({ body }: Response): AsyncGenerator<Buffer> {
  for await (const bytes of body ?? []) yield Buffer.from(bytes);
}

async function toEnd(pieces: AsyncIterable<Buffer>, came: Buffer[] = []): Promise<void> {
  for await (const piece of pieces) came.push(piece);
}

/** As it is stored, whatever it is called and however much there is already. */
async function keep(name: string, content: Buffer): Promise<string> {
  const file = { id: uuidv7(), role: 'file', name, media_type: 'text/plain', size: content.length, content };
  const kept = { source: 'uploaded', state: 'STORED', customer_id: id, created_at: new Date() };
  await service.db('attachments').insert({ ...file, ...kept });
  return file.id;
}

test('a file that is removed before its turn, though it was told of, breaks it off as well', async () => {
  const [first, last] = [await keep('first.txt', Buffer.from('x')), await keep('last.txt', Buffer.from('x'))];
  const removed = Promise.withResolvers<void>();
  others.telling.notifier = { lines: [{ kind: 'tasks', title: 'Tasks' }, { end: true }], waits: removed.promise };
  const pieces = piecesOf(await ask());
  // By then all rows of this service were read.
  for (let came = ''; !came.includes('notifier/tasks.json'); ) came += (await pieces.next()).value?.toString('latin1');
  await service.db('attachments').where({ id: last }).update({ state: 'REDACTED', content: null });
  removed.resolve();
  await expect(toEnd(pieces)).rejects.toThrow();
  await service.db('attachments').where({ id: first }).update({ state: 'REDACTED', content: null });
  expect((await ask()).status).toBe(200);
});

test('whoever goes away midway leaves nothing open', async () => {
  const endless = { lines: [{ kind: 'tasks', title: 'Tasks' }], goesOn: true };
  // One is being read, the other not yet.
  Object.assign(others.telling, { 'renewals-service': endless, notifier: endless });
  const reader = (await ask()).body?.getReader();
  await reader?.read();
  expect(others.open()).toBe(2);
  await reader?.cancel();
  await eventually(() => expect(others.open()).toBe(0));
});

test('names that would lead out of it, and two of one name, are files in folders of their own', async () => {
  const names = ['../../x.txt', 'twice.txt', 'twice.txt', '<img src=x onerror=alert(1)>.txt'];
  const ids: string[] = [];
  for (const [n, name] of names.entries()) ids.push(await keep(name, Buffer.from(String(n + 1))));
  const files = await archive();
  const kept = ['x.txt', 'twice.txt', 'twice.txt', '_img src=x onerror=alert(1)_.txt'];
  expect(ids.map((file, n) => files.get(`files/${file}/${kept[n]}`)?.toString())).toEqual(['1', '2', '3', '4']);
});

test('a log of thousands is whole', async () => {
  const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + Math.floor(n / 3) * 1000);
  const records = Array.from({ length: 2_500 }, (_, n) => ({
    id: uuidv7(),
    customer_id: id,
    type: 'SMS',
    direction: 'INBOUND',
    body: `Message ${n}`,
    unread: false,
    status: 'RECEIVED',
    occurred_at: at(n),
    created_at: at(n),
  }));
  await service.db.batchInsert('communications', records, 500);
  const told = rowsIn(await archive(), 'comms-service/communications.json');
  expect(told.map((row) => row.id).sort()).toEqual(records.map((record) => record.id).sort());
  const times = told.map(({ occurred_at }) => String(occurred_at));
  expect(times).toEqual(times.toSorted());
});
