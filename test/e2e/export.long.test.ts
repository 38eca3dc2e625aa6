import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Attachment } from '@ops/contracts/resources/communication';
import type { CsvImport } from '@ops/contracts/resources/import';
import type { Unmatched } from '@ops/contracts/resources/unmatched';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { unzipped } from '@ops/test-kit/unzipped';
import type { System } from '@ops/test-system/system';
import { type Client, inDays, type Known, officeOn } from './renewal-office.ts';

const office = officeOn('postgres');
let system: System;
let staff: Client;
let admin: Client;
let known: Known;
/** Another id of theirs. */
const twin = 'C-export-twin';
const words = canary();
/** Said to and by somebody else. */
const others = canary();

beforeAll(async () => {
  ({ system, staff } = await office.open());
  admin = await system.client('admin');
});
afterAll(() => system?.stop());

const of = (id: string) => `/ops/customers/${id}`;

/** Answers what it made. */
async function made<T = { id: string }>(asked: ReturnType<Client['post']>): Promise<T> {
  const { status, body } = await asked;
  expect({ status, body }).toMatchObject({ status: expect.any(Number), body: {} });
  expect(status).toBeLessThan(300);
  return body as T;
}

/** What came in by each way, and what was made of it later; from somebody unknown too, who turns out to be them. */
async function theyWrite(): Promise<void> {
  const { simulator } = system;
  const file = await simulator.file(`${words} ü.txt`, 'text/plain', Buffer.from(words));
  const first = await simulator.write(known.phone, { channel: 'MESSAGING_APP', text: words, files: [file] });
  await simulator.change(first.id, `${words} again`);
  await simulator.write(known.phone, { channel: 'SMS', text: words });
  await simulator.write(known.phone, { channel: 'EMAIL', subject: words, text: words, files: [file] });
  const [stranger, somebody] = ['+447700900398', '+447700900399'];
  for (const phone of [stranger, somebody]) await simulator.person({ phone });
  await simulator.write(stranger, { channel: 'MESSAGING_APP', text: words });
  await simulator.write(somebody, { channel: 'SMS', text: others });
  const waiting = await eventually(async () => {
    const found = (await office.list<Unmatched>('/ops/unmatched')).find((one) => one.body === words);
    if (!found) throw new Error('it has not come yet');
    return found;
  });
  await made(staff.post(`/ops/unmatched/${waiting.id}/link`, { customer_id: known.id }));
}

async function staffWrite(): Promise<void> {
  await made(staff.post(`${of(known.id)}/notes`, { body: `note ${words}` }));
  await made(
    staff.post(`${of(known.id)}/communications`, {
      type: 'CALL_LOG',
      direction: 'INTERNAL',
      body: words,
      subject: words,
    }),
  );
  const { id } = await made<Attachment>(
    staff.post(`${of(known.id)}/attachments?name=${words}.txt`, Buffer.from(`sent ${words}`), {
      headers: { 'content-type': 'text/plain' },
    }),
  );
  const mail = { type: 'EMAIL', direction: 'OUTBOUND', subject: words, body: words, attachments: [id] };
  await made(staff.post(`${of(known.id)}/communications`, mail));
  for (const type of ['MESSAGING_APP', 'SMS'])
    await made(staff.post(`${of(known.id)}/communications`, { type, direction: 'OUTBOUND', body: words }));
  await made(staff.patch(`${of(known.id)}/attention`, { state: 'done' }));
}

/** One is near, one is past; one came from upstream and ended there. */
async function datesComeNear(): Promise<void> {
  const near = await office.watch(known, 14, { notes: words });
  await office.watch(known, -2, { service_type: 'WORK_PERMIT' });
  const automation = await system.client('automation');
  const told = (type: string, data: object) => {
    const event = { specversion: '1.0', id: uuidv7(), source: '/policies', type, time: new Date().toISOString(), data };
    return made<object>(automation.post('/ops/events', event));
  };
  await told('policy.issued', { customer_id: known.id, policy_id: `P-${words}`, end_date: inDays(200) });
  await told('policy.cancelled', { policy_id: `P-${words}` });
  await office.refresh();
  // The letter of the night is made a while after it, by no event.
  await eventually(async () => expect((await office.detail(near)).messages).not.toEqual([]));
  await made(staff.post('/ops/tasks', { customer_id: known.id, title: words }));
}

async function otherFacts(): Promise<void> {
  await made(
    staff.put(`${of(known.id)}/opt-outs`, {
      kind: 'email',
      value: known.email,
      channel: 'EMAIL',
      opted_out: true,
      reason: words,
    }),
  );
  await made(admin.put(`${of(known.id)}/legal-hold`, { on: true, reason: words }));
  await made(staff.put(of(twin), { name: words }));
  await made(staff.post(`${of(twin)}/merge`, { into: known.id }));
  await takesFile('customers', `customer_id,name\n${known.id},${words}\n`);
  await takesFile('renewals', `customer_id,service_type,due_date\n${known.id},WORK_PERMIT,${inDays(300)}\n`);
}

/** It is looked through, and not taken in. */
async function takesFile(what: 'customers' | 'renewals', rows: string): Promise<void> {
  const file = Buffer.from(rows);
  const { id } = await made<CsvImport>(
    staff.post(`/ops/imports/${what}?name=x.csv`, file, { headers: { 'content-type': 'text/csv' } }),
  );
  await eventually(async () =>
    expect((await staff.get(`/ops/imports/${what}/${id}`)).body).toMatchObject({ status: 'CHECKED' }),
  );
}

async function givesUp(): Promise<void> {
  await system
    .database('notifier')('dead_letters')
    .insert({
      id: uuidv7(),
      queue: 'a:b:c',
      event_id: uuidv7(),
      event_type: 'x',
      subject: known.id,
      attempts: 1,
      error: 'failed',
      body: JSON.stringify({ data: { words } }),
    });
}

async function taken() {
  const headers = { authorization: `Bearer ${await system.token('admin')}` };
  const answer = await fetch(`${system.gatewayUrl}${of(twin)}/export`, { method: 'POST', headers });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
  return unzipped(Buffer.from(await answer.arrayBuffer()));
}

/** What lies of them in some tables, by the files it is to be in. */
async function idsThere(): Promise<[string, string[]][]> {
  const of = async (owner: 'comms' | 'renewals' | 'notifier', table: string, key = 'id') =>
    system.database(owner)(table).whereIn('customer_id', [known.id, twin]).pluck(key);
  return [
    ['comms-service/communications.json', await of('comms', 'communications')],
    ['comms-service/timeline.json', await of('comms', 'timeline', 'event_id')],
    ['renewals-service/renewals.json', await of('renewals', 'renewals')],
    ['renewals-service/compliance-flags.json', await of('renewals', 'compliance_flags')],
    ['notifier/tasks.json', await of('notifier', 'tasks')],
    ['notifier/sends.json', await of('notifier', 'sends')],
    ['notifier/alert-actions.json', await of('notifier', 'alert_actions')],
  ];
}

type Rows = Record<string, unknown>[];

/** Of which there may be none here: nobody gave up on them, nor proposed anything. */
const mayBeEmpty = /\/(gave-up-on|proposals|ids-elsewhere)\.json$|^webhook-ingest\/who-changed-what/;

test('everything of a customer with every kind of record is in the archive, whole, and nothing of anybody else', async () => {
  known = await office.introduce();
  await theyWrite();
  await staffWrite();
  await datesComeNear();
  await office.nothingMoves();
  await otherFacts();
  await office.nothingMoves();
  await givesUp();
  const there = await idsThere();
  const files = await taken();
  const rowsAt = (path: string): Rows => JSON.parse(files.get(path)?.toString() ?? 'null');

  const empty = [...files.keys()]
    .filter((path) => path.includes('-service/') || path.startsWith('notifier/') || path.startsWith('webhook-ingest/'))
    .filter((path) => path.endsWith('.json') && !path.includes('/bodies/') && rowsAt(path).length === 0);
  expect(empty.filter((path) => !mayBeEmpty.test(path))).toEqual([]);
  for (const content of files.values()) expect(content.includes(others)).toBe(false);

  for (const [path, ids] of there)
    expect(rowsAt(path).map(({ id, event_id }) => id ?? event_id)).toEqual(expect.arrayContaining(ids));

  const log = rowsAt('comms-service/communications.json');
  expect(
    log
      .filter(({ internal }) => internal)
      .map(({ type }) => type)
      .sort(),
  ).toEqual(['CALL_LOG', 'INTERNAL_NOTE']);
  expect(rowsAt('notifier/gave-up-on.json')).toHaveLength(1);

  const stored: { id: string; content: Buffer }[] = await system
    .database('comms')('attachments')
    .where({ state: 'STORED' })
    .select('id', 'content');
  const inArchive = [...files].filter(([path]) => path.startsWith('files/'));
  expect(inArchive.map(([path]) => path.split('/')[1]).sort()).toEqual(stored.map(({ id }) => id).sort());
  for (const { id, content } of stored)
    expect(inArchive.find(([path]) => path.includes(id))?.[1].equals(content)).toBe(true);

  const posted = rowsAt('webhook-ingest/webhook-deliveries.json');
  const bodies = [...files].filter(([path]) => path.startsWith('webhook-ingest/bodies/'));
  expect(bodies).toHaveLength(posted.filter(({ body }) => body === 'theirs').length);
  expect(bodies.filter(([, content]) => content.includes(words)).length).toBeGreaterThanOrEqual(4);

  const page = files.get('index.html')?.toString() ?? '';
  for (const said of [`note ${words}`, `${words} again`, known.phone, known.email, twin]) expect(page).toContain(said);
  const { files: listed } = JSON.parse(files.get('manifest.json')?.toString() ?? '');
  expect(listed.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256])).toEqual(
    [...files]
      .filter(([path]) => path !== 'manifest.json')
      .map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')]),
  );
});

test('while a service is away nobody is given a part, and after it is back all of it', async () => {
  await system.kill('renewals-service');
  const refused = await admin.post(`${of(known.id)}/export`);
  expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  await system.restart('renewals-service');
  await eventually(async () => expect((await taken()).has('renewals-service/renewals.json')).toBe(true));
});
