import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Communication } from '@ops/contracts/resources/communication';
import fc from 'fast-check';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const log = '/ops/customers/C-1/communications';

/** Occurred at microseconds a JavaScript Date cannot tell apart, several at the very same one. */
async function logAt(microseconds: number[]): Promise<void> {
  await service.db('timeline').delete();
  await service.db('communications').delete();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo' });
  for (const micro of microseconds)
    await service.db.raw(
      `INSERT INTO communications (id, customer_id, type, direction, body, unread, status, occurred_at, created_at)
       VALUES (gen_random_uuid(), 'C-1', 'SMS', 'INBOUND', 'Hello', true, 'RECEIVED',
               timestamptz '2026-03-01 00:00:00Z' + :micro * interval '1 microsecond', now())`,
      { micro },
    );
}

async function expected(): Promise<string[]> {
  const rows = await service.db('communications').orderByRaw('occurred_at DESC, id DESC').select('id');
  return rows.map(({ id }) => id);
}

async function* pages(path: string, limit: number): AsyncGenerator<Communication[]> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { body } = await service.get<Page<Communication>>(
      staff,
      `${path}?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
    );
    yield body.data;
    cursor = body.next_cursor;
  }
}

test('pages follow each other without a gap or a twin, to the microsecond', async () => {
  const instants = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(instants, fc.integer({ min: 1, max: 5 }), async (microseconds, limit) => {
      await logAt(microseconds);
      const seen: string[] = [];
      for await (const page of pages(log, limit)) seen.push(...page.map(({ id }) => id));
      expect(seen).toEqual(await expected());
    }),
    { seed: 20_260_303, numRuns: 30 },
  );
});

test('records that arrive while somebody pages neither shift nor repeat what follows', async () => {
  await logAt([1, 2, 3, 4, 5, 6, 7, 8]);
  const before = await expected();
  const seen: string[] = [];
  for await (const page of pages(log, 2)) {
    seen.push(...page.map(({ id }) => id));
    await service.post(staff, log, { type: 'SMS', direction: 'INBOUND', body: 'One more' });
  }
  expect(seen).toEqual(before);
});

test('mark as read up to a record spares what arrived after it, however old it says it is', async () => {
  await logAt([3, 1, 2]);
  const [, second, third]: { id: string }[] = await service.db('communications').orderBy('created_at').select('id');
  const read = await service.patch(staff, `${log}/read`, { up_to: second?.id });
  expect(read.body).toEqual({ customer_id: 'C-1', marked_read: 2, unread_count: 1 });
  const { body } = await service.get<Page<Communication>>(staff, `${log}?unread=true`);
  expect(body.data.map(({ id }) => id)).toEqual([third?.id]);
});

test.each(['x', 'WzFd', 'W10', Buffer.from('["2026-03-01T00:00:00Z","\\u0000"]').toString('base64url')])(
  'the cursor %s was never given: 422 names it',
  async (cursor) => {
    const { status, body } = await service.get<Problem>(staff, `${log}?cursor=${cursor}`);
    expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: 'cursor' });
  },
);
