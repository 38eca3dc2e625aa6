import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { AttentionChange, AttentionPage } from '@ops/contracts/resources/attention';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Communication } from '@ops/contracts/resources/communication';
import type { CustomerDetail } from '@ops/contracts/resources/customer';
import { inTransaction } from '@ops/service-kit/database';
import { listen } from '@ops/service-kit/http-server';
import fc from 'fast-check';
import { said, takeInOpen, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import type { ProviderMessage } from '../inbound/inbound.rules.ts';

// For a hang: the work is the same on a slow machine.

let service: TestService;
let others: Awaited<ReturnType<typeof listen>>;
let othersAreAway = false;
let customers = 0;
let id = '';
let phone = '';

beforeAll(async () => {
  const next = { id: due, customer_id: 'C-1', service_type: 'RESIDENCE_PERMIT', due_date: '2027-02-01' };
  others = await listen(
    (req, res) => {
      res.writeHead(othersAreAway ? 503 : 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ data: req.url?.includes('renewals') ? [next] : Array(200).fill(answerBy) }));
    },
    { host: '127.0.0.1', port: 0 },
  );
  const url = `http://127.0.0.1:${others.port}`;
  service = await startTestService({ RENEWALS_SERVICE_URL: url, NOTIFIER_URL: url });
});
afterAll(async () => {
  await service.close();
  await others.close();
});
beforeEach(async () => {
  customers += 1;
  id = `C-${customers}`;
  phone = `+4477009007${String(customers).padStart(2, '0')}`;
  await service.put(staff, `/ops/customers/${id}`, { name: 'Ada Demo', phones: [phone] });
  await service.forgetEvents();
});

const answerBy = '2026-03-02T08:00:00.000Z';
const due = '0195c4e0-0000-7000-8000-000000000009';
const log = () => `/ops/customers/${id}/communications`;
const inbound = { type: 'SMS', direction: 'INBOUND', body: 'Hello' };
const outbound = { type: 'SMS', direction: 'OUTBOUND', body: 'Hello' };

const write = async (record: object) => (await service.post<Communication>(staff, log(), record)).body;
const attend = (patch: object) => service.patch<AttentionChange>(staff, `/ops/customers/${id}/attention`, patch);
const since = async () => (await service.get<CustomerDetail>(staff, `/ops/customers/${id}`)).body.waiting_since;
const list = async (query = '') => (await service.get<AttentionPage>(staff, `/ops/attention?limit=200${query}`)).body;
const own = async (query = '') => (await list(query)).data.find((one) => one.customer_id === id);

test('the list says who waits, since when and by what words, whose they are, and what is due next', async () => {
  await service.put(staff, `/ops/customers/${id}`, { name: 'Ada Demo', phones: [phone], assigned_agent: 'agent-1' });
  const first = said({ occurred_at: '2026-03-01T10:00:00Z', sender: { phone } });
  const last = said({ occurred_at: '2026-03-01T11:00:00Z', body: 'x'.repeat(400), sender: { phone } });
  await taken(service, first, last);
  expect(await own()).toEqual({
    customer_id: id,
    customer_name: 'Ada Demo',
    archived_at: null,
    waiting_since: '2026-03-01T10:00:00.000000Z',
    snoozed_until: null,
    answer_by: answerBy,
    last_message: {
      id: last.item_id,
      type: 'MESSAGING_APP',
      subject: null,
      body: 'x'.repeat(300),
      attachments: 0,
      occurred_at: '2026-03-01T11:00:00.000000Z',
    },
    unread_count: 2,
    assigned_agent: 'agent-1',
    responsible_agent: 'agent-1',
    next_renewal: { id: due, service_type: 'RESIDENCE_PERMIT', due_date: '2027-02-01' },
  });
});

test('it is asked for by whoever is responsible, by channel, and by what was put off', async () => {
  await service.db('agents').insert([
    { id: 'away', name: 'Away', version: 1, absent_until: '2199-01-01', deputy: 'agent-1' },
    { id: 'gone', name: 'Gone', version: 1, absent_until: '2199-01-01' },
  ]);
  const owned = async (assigned_agent: string | null) => {
    await service.put(staff, `/ops/customers/${id}`, { name: 'Ada Demo', phones: [phone], assigned_agent });
    return Promise.all(
      ['me', 'agent-1', 'nobody', 'agent-9'].map(async (agent) => (await own(`&agent=${agent}`)) !== undefined),
    );
  };
  await write(inbound);
  expect(staff.sub).toBe('agent-1');
  expect(await owned('agent-1')).toEqual([true, true, false, false]);
  expect(await owned('away')).toEqual([true, true, false, false]);
  expect(await owned('gone')).toEqual([false, false, true, false]);
  expect(await owned(null)).toEqual([false, false, true, false]);
  expect([await own('&channel=SMS'), await own('&channel=EMAIL')]).toMatchObject([{ customer_id: id }, undefined]);
  await attend({ state: 'snoozed', until: '2126-01-01T00:00:00Z' }).then(({ status }) => expect(status).toBe(422));
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await attend({ state: 'snoozed', until })).body).toMatchObject({ state: 'snoozed' });
  expect([await own(), await own('&state=snoozed')]).toMatchObject([undefined, { customer_id: id }]);
  // Its time has come.
  await service.db('attention').where({ customer_id: id }).update({ snoozed_until: new Date() });
  expect([await own(), await own('&state=snoozed')]).toMatchObject([{ snoozed_until: null }, undefined]);
});

test('pages go on where the last one ended, the longest waiting first', async () => {
  const message = (minute: number, n: number) =>
    said({ occurred_at: `2026-01-01T00:0${minute}:00Z`, sender: { phone: `+44770090080${n}` } });
  for (const n of [1, 2, 3])
    await service.put(staff, `/ops/customers/P-${n}`, { name: 'Demo', phones: [`+44770090080${n}`] });
  await taken(service, message(2, 1), message(1, 2), message(1, 3));
  const seen: string[] = [];
  for (let cursor = ''; seen.length < 3; ) {
    const { body } = await service.get<AttentionPage>(staff, `/ops/attention?limit=1${cursor}`);
    seen.push(...body.data.map((one) => one.customer_id));
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(seen).toEqual(['P-2', 'P-3', 'P-1']);
});

test('while nobody can say what is due next, and by when they are to be answered, the list is there without', async () => {
  await write(inbound);
  othersAreAway = true;
  expect(await own()).toMatchObject({ next_renewal: null, answer_by: null });
  expect((await list()).left_out).toEqual(['next_renewal', 'answer_by']);
  othersAreAway = false;
  expect((await list()).left_out).toEqual([]);
});

test('what cannot be is refused: nobody, somebody else’s record, a time that is over, and putting off who waits for nothing', async () => {
  const other = (await service.post<Communication>(staff, log(), inbound)).body;
  await service.put(staff, `/ops/customers/${id}-2`, { name: 'Bob Demo' });
  id = `${id}-2`;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const refused = [
    await attend({ state: 'done', up_to: other.id }),
    await attend({ state: 'snoozed', until, up_to: other.id }),
    await attend({ state: 'snoozed', until: '2026-01-01T00:00:00Z' }),
    await attend({ state: 'snoozed', until }),
    await attend({ state: 'waiting' }),
    await attend({ state: 'waiting', up_to: other.id }),
    await attend({ state: 'waiting', change_id: other.id }),
    await attend({ state: 'snoozed' }),
    await service.patch(staff, '/ops/customers/nobody/attention', { state: 'done' }),
    await service.patch(staff, `${log()}/unread`, { from: other.id }),
    await service.patch(staff, '/ops/customers/nobody/communications/unread', { from: other.id }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 409, 409, 422, 409, 422, 404, 422, 404]);
  expect(await attend({ state: 'done' })).toMatchObject({ status: 200, body: { state: 'done' } });
});

test('who is done with a customer, or puts them off, is heard of', async () => {
  const { occurred_at } = await write(inbound);
  await service.forgetEvents();
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await attend({ state: 'snoozed', until });
  await attend({ state: 'done' });
  const told = (await service.events()).map(({ type, data }) => ({ type, data }));
  expect(told).toMatchObject([
    { type: 'attention.changed', data: { customer_id: id, state: 'snoozed', waiting_since: occurred_at } },
    { type: 'attention.changed', data: { customer_id: id, state: 'done', waiting_since: null, snoozed_until: null } },
  ]);
});

const undo = ({ body: { change_id } }: { body: AttentionChange }) => attend({ state: 'waiting', change_id });

test('who put a customer off, or was done with them, stands in the customer’s history', async () => {
  await write(inbound);
  const until = new Date(Date.now() + 86_400_000).toISOString().replace('Z', '000Z');
  await attend({ state: 'snoozed', until });
  await attend({ state: 'done' });
  await attend({ state: 'done' });
  const { data } = (await service.get<Page<AuditEntry>>(staff, `/ops/customers/${id}/history`)).body;
  expect(data.slice(0, -1)).toMatchObject([
    {
      actor: 'agent-1',
      changes: [
        { field: 'attention', old: 'snoozed', new: 'done' },
        { field: 'snoozed_until', old: until, new: null },
      ],
    },
    {
      changes: [
        { field: 'attention', old: 'waiting', new: 'snoozed' },
        { field: 'snoozed_until', old: null, new: until },
      ],
    },
  ]);
});

test('being done is taken back: who waited does again, since when and by what they did, and who wrote meanwhile as well', async () => {
  const first = await write(inbound);
  const done = await attend({ state: 'done' });
  expect(done.body).toMatchObject({ state: 'done', waiting_since: null });
  const later = await write(inbound);
  expect(await undo(done)).toMatchObject({ status: 200, body: { state: 'waiting', change_id: null } });
  expect(await own()).toMatchObject({ waiting_since: first.occurred_at, last_message: { id: later.id } });
  // As when the answer was lost.
  expect(await undo(done)).toMatchObject({ status: 200, body: { state: 'waiting' } });
  expect(await attend({ state: 'done', up_to: later.id })).toMatchObject({ body: { state: 'done' } });
});

test('what was answered since is answered, until the answer fails', async () => {
  const { occurred_at } = await write(inbound);
  const done = await attend({ state: 'done' });
  const answer = await write(outbound);
  expect(await undo(done)).toMatchObject({ status: 200, body: { state: 'done' } });
  await service.db('communications').where({ id: answer.id }).update({ status: 'FAILED' });
  expect(await since()).toBe(occurred_at);
});

test('only the last change is taken back: what somebody did after it stays, and so does who changed nothing', async () => {
  await write(inbound);
  const mine = await attend({ state: 'done' });
  expect((await attend({ state: 'done' })).body).toMatchObject({ state: 'done', change_id: null });
  const second = await write(inbound);
  const theirs = await attend({ state: 'done' });
  const refused = { status: 409, body: { detail: expect.stringMatching(/since$/) } };
  expect(await undo(mine)).toMatchObject(refused);
  expect(await since()).toBeNull();
  await undo(theirs);
  // What was there before the last but one is not known any more.
  expect(await undo(mine)).toMatchObject(refused);
  expect(await since()).toBe(second.occurred_at);
});

test('who was put off is so again when being done, waking or another time is taken back, but not once they wrote', async () => {
  await write(inbound);
  const [soon, later] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const first = await attend({ state: 'snoozed', until: soon });
  for (const patch of [{ state: 'done' }, { state: 'waiting' }, { state: 'snoozed', until: later }]) {
    const changed = await attend(patch);
    expect(changed.body.snoozed_until).not.toBe(first.body.snoozed_until);
    expect(await undo(changed)).toMatchObject({ body: { state: 'snoozed', snoozed_until: first.body.snoozed_until } });
  }
  const woken = await attend({ state: 'waiting' });
  expect(woken.body).toMatchObject({ state: 'waiting', snoozed_until: null });
  await write(inbound);
  expect(await undo(woken)).toMatchObject({ body: { state: 'waiting', snoozed_until: null } });
});

test('to take something back hides no message that was just arriving', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  for (const change of ['done', 'waiting', 'snoozed', 'done up to', 'snoozed up to']) {
    const [state, upTo] = change.split(' up ');
    const { id: older } = await write(inbound);
    let changed = { body: {} as AttentionChange };
    const crossed = await whileArriving(async () => {
      await write(inbound);
      await attend({ state: 'snoozed', until });
      changed = await attend({ state, ...(state === 'snoozed' && { until }), ...(upTo && { up_to: older }) });
    });
    expect(await undo(changed)).toMatchObject({ status: 200, body: { state: 'waiting' } });
    expect(await unanswered()).toContain(crossed);
    expect(await own()).toMatchObject({ snoozed_until: null });
  }
});

test('who is done anew with what they saw, after taking it back, is not done with what was just arriving', async () => {
  let seen = '';
  const late = await whileArriving(async () => {
    seen = (await write(inbound)).id;
    await undo(await attend({ state: 'done', up_to: seen }));
  });
  expect(await attend({ state: 'done', up_to: seen })).toMatchObject({ body: { state: 'waiting' } });
  expect(await own()).toMatchObject({ last_message: { id: late } });
});

test('what was taken back waits no longer, and a reaction or an edit changes nothing of it', async () => {
  const [first, last] = ['10:00', '11:00'].map((time) =>
    said({ occurred_at: `2026-03-01T${time}:00Z`, sender: { phone } }),
  );
  await taken(service, first as ProviderMessage, last as ProviderMessage);
  const about = (kind: 'edit' | 'withdrawal') =>
    taken(service, said({ kind, target_external_id: first?.external_id ?? null, sender: { phone } }));
  await about('edit');
  expect(await since()).toBe('2026-03-01T10:00:00.000000Z');
  await about('withdrawal');
  expect(await since()).toBe('2026-03-01T11:00:00.000000Z');
});

test('marked unread from one on are what the customer wrote from there, whoever read it; not what a machine wrote', async () => {
  const message = (minute: number, rest = {}) =>
    said({ occurred_at: `2026-03-01T10:0${minute}:00Z`, sender: { phone }, ...rest });
  const [first, second, automatic, third] = [message(1), message(2), message(3, { automatic: true }), message(4)];
  await taken(service, first, second, automatic, third);
  await service.patch(staff, `${log()}/read`);
  await service.forgetEvents();
  const marked = await service.patch(staff, `${log()}/unread`, { from: second.item_id });
  expect(marked.body).toEqual({ customer_id: id, marked_unread: 2, unread_count: 2 });
  const unread = await service
    .db('communications')
    .where({ customer_id: id, unread: true })
    .orderBy('occurred_at')
    .select('id');
  expect(unread.map((one) => one.id)).toEqual([second.item_id, third.item_id]);
  expect((await service.events()).map(({ data }) => data)).toMatchObject([
    { change: 'unread', communication_id: null },
  ]);
  const again = await service.patch(staff, `${log()}/unread`, { from: third.item_id });
  expect(again.body).toMatchObject({ marked_unread: 0, unread_count: 2 });
});

/** While this message is being taken in, something is done; nobody can have seen the message then. */
async function whileArriving(work: () => Promise<unknown>): Promise<string> {
  const message = said({ sender: { phone } });
  await inTransaction(service.db, async (trx) => {
    await takeInOpen(trx, message);
    await work();
  });
  return message.item_id;
}

const instead = async () => (await own())?.last_message.id;

test('an answer, being done and putting off say nothing of a message that is just arriving', async () => {
  const answered = await whileArriving(() => write(outbound));
  expect(await instead()).toBe(answered);
  await write(inbound);
  const left = await whileArriving(() => attend({ state: 'done' }));
  expect(await instead()).toBe(left);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const woken = await whileArriving(() => attend({ state: 'snoozed', until }));
  expect(await own()).toMatchObject({ snoozed_until: null });
  expect([await since(), woken]).toEqual(['2026-03-01T12:00:00.000000Z', expect.anything()]);
});

/** Of what a page shows, the last to come: what it says somebody has seen. */
async function lastShown(): Promise<string | undefined> {
  const { data } = (await service.get<{ data: Communication[] }>(staff, log())).body;
  const cameAt = ({ filed_at, created_at }: Communication) => filed_at ?? created_at;
  return data.toSorted((one, other) => (cameAt(one) < cameAt(other) ? -1 : 1)).at(-1)?.id;
}

test('who has seen a message that crossed an answer can be done with it, put it off and read it', async () => {
  const crossed = await whileArriving(() => write(outbound));
  expect(await lastShown()).toBe(crossed);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await attend({ state: 'snoozed', until, up_to: crossed })).body).toMatchObject({ state: 'snoozed' });
  expect((await attend({ state: 'done', up_to: crossed })).body).toMatchObject({ state: 'done' });
  const read = await service.patch(staff, `${log()}/read`, { up_to: crossed });
  expect(read.body).toMatchObject({ unread_count: 0 });
});

test('one that crossed an answer is not read by who saw no more than the answer', async () => {
  const sent: string[] = [];
  await whileArriving(async () => sent.push((await write(outbound)).id));
  const read = await service.patch(staff, `${log()}/read`, { up_to: sent[0] });
  expect(read.body).toMatchObject({ marked_read: 0, unread_count: 1 });
});

test('what came after what somebody saw is not put off, and what came last is shown, however old', async () => {
  const seen = await write(inbound);
  const late = said({ occurred_at: '2026-01-01T00:00:00Z', sender: { phone } });
  await taken(service, late);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await attend({ state: 'snoozed', until, up_to: seen.id })).body).toMatchObject({ state: 'waiting' });
  expect(await own()).toMatchObject({ snoozed_until: null, last_message: { id: late.item_id } });
  expect((await attend({ state: 'snoozed', until, up_to: late.item_id })).body).toMatchObject({ state: 'snoozed' });
});

test('an administrator whose session looks elsewhere can mend records', async () => {
  const { id: record } = await write(inbound);
  await service.db.transaction(async (trx) => {
    const { rows } = await trx.raw('SELECT current_schema() AS schema');
    await trx.raw(`SET LOCAL search_path = pg_catalog`);
    await trx.raw(`UPDATE ??.communications SET occurred_at = '2026-02-02T00:00:00Z' WHERE id = ?`, [
      rows[0].schema,
      record,
    ]);
  });
  expect(await since()).toBe('2026-02-02T00:00:00.000000Z');
});

/** At once, and so often. */
const [many, waves] = [20, 10];
type Deed = 'write' | 'answer' | 'done' | 'done for a moment' | 'snooze' | 'call';
interface Span {
  deed: Deed;
  began: number;
  ended: number;
  id: string;
  /** As far as it was not taken back. */
  isLasting: boolean;
}

test('200 things said and done, 20 at once: the row says what there is, what was said after the last answer waits and what was answered later does not', async () => {
  const deeds = fc.array(
    fc.constantFrom<Deed>('write', 'write', 'write', 'answer', 'done', 'done for a moment', 'snooze', 'call'),
    {
      minLength: many * waves,
      maxLength: many * waves,
    },
  );
  await fc.assert(
    fc.asyncProperty(deeds, async (mix) => {
      customers += 1;
      id = `busy-${customers}`;
      await service.put(staff, `/ops/customers/${id}`, { name: 'Busy Demo' });
      const spans: Span[] = [];
      for (let wave = 0; wave < waves; wave++) {
        spans.push(...(await Promise.all(mix.slice(wave * many, (wave + 1) * many).map(span))));
        await lookAtRow();
      }
      const ending = spans.filter(({ deed }) => !['write', 'snooze'].includes(deed));
      const lastEnd = Math.max(0, ...ending.map(({ ended }) => ended));
      const lastBegin = Math.max(0, ...ending.filter(({ isLasting }) => isLasting).map(({ began }) => began));
      const waiting = await unanswered();
      for (const { deed, began, ended, id: record } of spans) {
        if (deed === 'write' && began > lastEnd) expect(waiting).toContain(record);
        if (deed === 'write' && ended < lastBegin) expect(waiting).not.toContain(record);
      }
    }),
    { seed: 20_261_123, numRuns: 3, endOnFailure: true },
  );
});

async function span(deed: Deed): Promise<Span> {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const began = performance.now();
  const record = {
    write: inbound,
    answer: outbound,
    call: { type: 'CALL_LOG', direction: 'INTERNAL', body: 'Hello', subject: 'Call' },
  };
  if (deed === 'done' || deed === 'done for a moment' || deed === 'snooze') {
    const changed = await attend(deed === 'snooze' ? { state: 'snoozed', until } : { state: 'done' });
    expect([200, 409]).toContain(changed.status);
    // Who was done with what somebody else was done with before says nothing of it when that is taken back.
    const isChange = changed.status === 200 && changed.body.change_id !== null;
    const isUndone = isChange && deed === 'done for a moment' && (await undo(changed)).status === 200;
    return { deed, began, ended: performance.now(), id: '', isLasting: isChange && !isUndone };
  }
  const made = await write(record[deed]);
  return { deed, began, ended: performance.now(), id: made.id, isLasting: true };
}

/** It is what would be found by looking now. */
async function lookAtRow(): Promise<void> {
  const { rows } = await service.db.raw(
    `SELECT a.waiting_since AS kept_since, a.message_id AS kept_id, min(u.occurred_at) AS since,
            (array_agg(u.id ORDER BY u.came_at DESC, u.id DESC))[1] AS id
     FROM attention a LEFT JOIN LATERAL unanswered(a.customer_id, a.done_at, a.done_id) u ON true
     WHERE a.customer_id = ? GROUP BY a.customer_id`,
    [id],
  );
  const [{ kept_since, kept_id, ...now }] = rows;
  expect({ since: kept_since, id: kept_id }).toEqual(now);
}

async function unanswered(): Promise<string[]> {
  const { rows } = await service.db.raw(
    'SELECT u.id FROM attention a, unanswered(a.customer_id, a.done_at, a.done_id) u WHERE a.customer_id = ?',
    [id],
  );
  return rows.map((one: { id: string }) => one.id);
}
