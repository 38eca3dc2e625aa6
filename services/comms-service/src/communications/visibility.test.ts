import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import { type Communication, communicationType, direction } from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import { routes } from '@ops/contracts/routes';
import fc from 'fast-check';
import { automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

const words = ['permit', 'Passport', '100%', 'under_score', 'Ünïcode', 'back\\slash'];

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo' });
  await service.put(staff, '/ops/customers/C-2', { name: 'Bob Demo' });
  for (const record of mixOfRecords()) await service.post(staff, '/ops/customers/C-1/communications', record);
  await service.post(staff, '/ops/customers/C-2/communications', { ...outbound('EMAIL'), body: 'for C-2 alone' });
});
afterAll(() => service.close());

/** Every type in every direction it may have, each with every word, in turn. */
function mixOfRecords() {
  const internal = words.flatMap((word) => [
    { type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: `note on ${word}` },
    { type: 'CALL_LOG', direction: 'INTERNAL', subject: `call on ${word}`, body: 'they called' },
  ]);
  const messages = words.flatMap((word) => [
    { ...inbound('MESSAGING_APP'), body: `about ${word}` },
    { ...outbound('SMS'), body: `about ${word}` },
    { ...inbound('EMAIL'), subject: `on ${word}`, body: 'see above' },
  ]);
  return internal.flatMap((record, index) => [record, ...messages.slice(index * 2, index * 2 + 2)]);
}

function inbound(type: string) {
  return { type, direction: 'INBOUND' };
}

function outbound(type: string) {
  return { type, direction: 'OUTBOUND' };
}

const questions = fc.record(
  {
    filter: fc.constantFrom('all', 'messaging_app', 'email', 'notes'),
    type: fc.constantFrom(...communicationType.options),
    direction: fc.constantFrom(...direction.options),
    unread: fc.constantFrom('true', 'false'),
    q: fc.constantFrom(...words, 'not', 'CALL', 'o', '%', '_', 'ünïCODE'),
    limit: fc.constantFrom('1', '3', '50'),
  },
  { requiredKeys: ['limit'] },
);

const ask = (reader: Actor, question: Record<string, string>) =>
  service.get<Page<Communication>>(reader, `/ops/customers/C-1/communications?${new URLSearchParams(question)}`);

async function readAll(reader: Actor, question: Record<string, string>) {
  const cursors: string[] = [];
  const records: Communication[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body } = await ask(reader, { ...question, ...(cursor && { cursor }) });
    expect(status).toBe(200);
    records.push(...body.data);
    cursor = body.next_cursor;
    if (cursor) cursors.push(cursor);
  }
  return { records, cursors };
}

const isInternal = ({ type }: Communication) => type === 'INTERNAL_NOTE' || type === 'CALL_LOG';

test('by no filter, search or page does a note or call log reach automation or the customer, and all else does', async () => {
  await fc.assert(
    fc.asyncProperty(questions, fc.constantFrom(automation, customer('C-1')), async (question, reader) => {
      if (reader.role === 'customer' && question.q !== undefined)
        return expect(await ask(reader, question)).toMatchObject({ status: 403 });
      const whole = await readAll(staff, question);
      const shown = await readAll(reader, question);
      const allowed = whole.records.filter((record) => !isInternal(record));
      expect(shown.records.map(({ id }) => id)).toEqual(allowed.map(({ id }) => id));
    }),
    { seed: 20_260_301, numRuns: 150 },
  );
});

test("with a cursor of the staff's own list neither does one", async () => {
  const { cursors } = await readAll(staff, { limit: '1' });
  expect(cursors.length).toBeGreaterThan(20);
  for (const cursor of cursors) {
    const { body } = await service.get<Page<Communication>>(
      customer('C-1'),
      `/ops/customers/C-1/communications?cursor=${cursor}`,
    );
    expect(body.data.filter(isInternal)).toEqual([]);
  }
});

test("a cursor of another customer's list shows that other customer nothing of this one", async () => {
  const { cursors } = await readAll(staff, { limit: '1' });
  for (const cursor of cursors) {
    const { body } = await service.get<Page<Communication>>(
      customer('C-2'),
      `/ops/customers/C-2/communications?cursor=${cursor}`,
    );
    expect(body.data.filter((record) => record.customer_id !== 'C-2')).toEqual([]);
  }
});

test('a customer reads its own log alone, whether or not the other customer exists', async () => {
  for (const id of ['C-2', 'nobody'])
    expect(await service.get(customer('C-1'), `/ops/customers/${id}/communications`)).toMatchObject({ status: 403 });
});

test('a customer is told of nobody of us: not who wrote, and by no other route', async () => {
  const { records } = await readAll(customer('C-1'), { limit: '50' });
  expect(records.some((record) => record.direction === 'OUTBOUND')).toBe(true);
  expect(records.every((record) => record.author === null && record.failure === null)).toBe(true);
  expect(JSON.stringify(records)).not.toContain(staff.sub);
  const ours = await readAll(staff, { direction: 'OUTBOUND', limit: '50' });
  expect(ours.records.every((record) => record.author === staff.sub)).toBe(true);
  const open = Object.values(routes).filter(({ roles }) => roles.some((role) => role === 'customer'));
  const ofTheirOwn = ['/ops/me', '/ops/me/sessions', '/ops/me/sessions/:id/end', '/ops/me/sessions/end-others'];
  expect(open.map(({ path }) => path).sort()).toEqual(['/ops/customers/:id/communications', ...ofTheirOwn]);
});
