import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { RetentionRun } from '@ops/contracts/resources/retention';
import { rowsByPlace } from '@ops/contracts/test/retention';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { tablesHolding } from '@ops/test-kit/find-text';
import { canary } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-system/system';

const owners = ['comms', 'ingest', 'notifier', 'renewals'] as const;
const words = canary();
const phone = '+447700900321';
const log = '/ops/customers/C-past/communications';
let system: System;

beforeAll(async () => {
  system = await startSystem({ bus: 'postgres', env: { RETENTION_CRON: 'off' } });
  const staff = await system.client('staff');
  await staff.put('/ops/customers/C-past', { name: 'Ada Demo', phones: [phone], emails: ['ada@example.com'] });
});
afterAll(() => system?.stop());

const holding = async () =>
  Object.fromEntries(
    await Promise.all(owners.map(async (owner) => [owner, await tablesHolding(system.database(owner), words)])),
  ) as Record<(typeof owners)[number], string[]>;

/** The same words on every way in and out: said, written, sent, answered, edited, reacted to, attached, given up on. */
async function fillEveryPlace(): Promise<void> {
  const { simulator } = system;
  const [ada, stranger] = await Promise.all([
    simulator.person({ name: 'Ada', phone, email: 'ada@example.com' }),
    simulator.person({ name: words, phone: '+447700900322' }),
  ]);
  const file = await simulator.file(`${words}.txt`, 'text/plain', Buffer.from(words));
  const said = await simulator.write(ada.id, { channel: 'MESSAGING_APP', text: words, files: [file] });
  await simulator.change(said.id, `${words} again`);
  await simulator.write(ada.id, { channel: 'SMS', text: words });
  await simulator.write(ada.id, { channel: 'EMAIL', subject: words, text: words, files: [file] });
  await simulator.write(stranger.id, { channel: 'MESSAGING_APP', text: words });
  const staff = await system.client('staff');
  const answers = await Promise.all(
    ['MESSAGING_APP', 'SMS', 'EMAIL'].map((type) =>
      staff.post(log, { type, direction: 'OUTBOUND', body: words }, { headers: { 'Idempotency-Key': type } }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  await staff.post(log, { type: 'CALL_LOG', direction: 'INTERNAL', body: words, subject: words });
  await staff.post('/ops/customers/C-past/notes', { body: words });
  for (const owner of owners) await system.database(owner)('dead_letters').insert(deadLetter());
}

const deadLetter = () => ({
  id: uuidv7(),
  queue: 'a:b:c',
  event_id: uuidv7(),
  event_type: 'x',
  subject: 'x',
  attempts: 3,
  error: 'failed',
  body: JSON.stringify({ data: { channel: 'SMS', body: words } }),
});

/** Everything is in the log with its files, everything sent, and nothing waits in an outbox. */
async function settled(): Promise<void> {
  const staff = await system.client('staff');
  await eventually(async () => {
    const { data } = (await staff.get(log)).body as Page<Communication>;
    expect(data.map(({ direction, type }) => `${direction} ${type}`).sort()).toEqual([
      'INBOUND EMAIL',
      'INBOUND MESSAGING_APP',
      'INBOUND SMS',
      'INTERNAL CALL_LOG',
      'INTERNAL INTERNAL_NOTE',
      'OUTBOUND EMAIL',
      'OUTBOUND MESSAGING_APP',
      'OUTBOUND SMS',
    ]);
    expect(data.filter(({ status }) => status === 'QUEUED')).toEqual([]);
    expect(data.flatMap(({ attachments }) => attachments).map(({ state }) => state)).not.toContain('PENDING');
    expect(data.some(({ amendments }) => amendments.length > 0)).toBe(true);
    expect((await staff.get('/ops/unmatched')).body).toMatchObject({ data: [{}] });
    expect(await system.simulator.webhooksWaiting()).toBe(0);
    for (const owner of owners) expect(await system.database(owner)('outbox').whereNull('published_at')).toEqual([]);
  });
}

/** Every instant in every table, as if all of it had happened this much earlier. */
async function age(days: number): Promise<void> {
  for (const owner of owners) {
    const db = system.database(owner);
    const { rows } = await db.raw(
      `SELECT table_name AS name, string_agg(format('%1$I = %1$I - interval ''%2$s days''', column_name, ?::int), ', ') AS earlier
       FROM information_schema.columns
       WHERE table_schema = current_schema() AND data_type = 'timestamp with time zone' AND table_name <> 'outbox_lease'
       GROUP BY table_name`,
      [days],
    );
    for (const { name, earlier } of rows) await db.raw(`UPDATE ${name} SET ${earlier}`);
  }
}

test('words that were everywhere are nowhere once they have had their time, and what happened is still known', async () => {
  await fillEveryPlace();
  await settled();
  const before = await holding();
  for (const [owner, tables] of Object.entries({
    comms: [
      'attachments',
      'communications',
      'dead_letters',
      'idempotency_keys',
      'inbound_messages',
      'message_changes',
      'outbox',
    ],
    ingest: ['dead_letters', 'deliveries', 'outbox', 'parts'],
    notifier: ['dead_letters'],
    renewals: ['dead_letters'],
  }))
    expect(before[owner as 'comms']).toEqual(expect.arrayContaining(tables));

  await age(3000);
  const admin = await system.client('admin');
  const promised = (await admin.post('/ops/retention/runs?dry_run=true')).body as RetentionRun;
  expect(promised).toMatchObject({ status: 'completed', dry_run: true });
  expect(await holding()).toEqual(before);

  const run = (await admin.post('/ops/retention/runs')).body as RetentionRun;
  expect(run).toMatchObject({ status: 'completed', failure: null, places: promised.places });
  expect(await holding()).toEqual({ comms: [], ingest: [], notifier: [], renewals: [] });

  const { data } = (await (await system.client('staff')).get(log)).body as Page<Communication>;
  expect(data).toHaveLength(8);
  for (const record of data) expect(record).toMatchObject({ body: '', subject: null, redacted_at: expect.any(String) });
  expect(rowsByPlace((await admin.post('/ops/retention/runs')).body as RetentionRun)).toEqual({});
});
