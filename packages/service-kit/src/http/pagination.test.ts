import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, openDatabase } from '../database/database.ts';
import { ProblemError } from '../errors.ts';
import { type CursorKind, decodeCursor, encodeCursor, toPage } from './pagination.ts';

const part: Record<CursorKind, fc.Arbitrary<string | number>> = {
  string: fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes('\u0000')),
  uuid: fc.uuid(),
  instant: fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((d) => d.toISOString()),
  date: fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((d) => d.toISOString().slice(0, 10)),
  number: fc.integer(),
};
const kinds = fc.array(fc.constantFrom<CursorKind>('string', 'uuid', 'instant', 'date', 'number'), {
  minLength: 1,
  maxLength: 4,
});
const position = kinds.chain((all) => fc.tuple(fc.constant(all), fc.tuple(...all.map((kind) => part[kind]))));

test('every position survives its cursor', () => {
  fc.assert(
    fc.property(position, ([all, parts]) => {
      const cursor = encodeCursor(parts);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(decodeCursor(cursor, all)).toEqual(parts);
    }),
    { seed: 1 },
  );
});

test('whatever else is given as a cursor is refused by name, and nothing else happens', () => {
  const forged = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.anything().map((value) => Buffer.from(String(JSON.stringify(value))).toString('base64url')),
    position.map(([, parts]) => encodeCursor([...parts, 'more'])),
  );
  fc.assert(
    fc.property(forged, (cursor) => {
      const decoded = tryDecode(cursor);
      if (decoded instanceof ProblemError) expect(decoded.errors).toMatchObject([{ path: 'cursor' }]);
      else expect(decoded).toEqual([expect.stringMatching(/T/), expect.stringMatching(/^[0-9a-f-]{36}$/i)]);
    }),
    { seed: 2, numRuns: 1000 },
  );
});

function tryDecode(cursor: string, all: readonly CursorKind[] = ['instant', 'uuid']) {
  try {
    return decodeCursor(cursor, all);
  } catch (error) {
    return error;
  }
}

test.each([
  ['a year Postgres does not know', ['0000-01-01T00:00:00Z', '0198c0de-0000-7000-8000-000000000000']],
  ['a day that does not exist', ['2025-02-30T00:00:00Z', '0198c0de-0000-7000-8000-000000000000']],
  ['an offset', ['2025-02-03T00:00:00+23:59', '0198c0de-0000-7000-8000-000000000000']],
  ['no UUID', ['2025-02-03T00:00:00Z', 'C-1']],
  ['too few parts', ['2025-02-03T00:00:00Z']],
])('a cursor with %s is refused', (_what, parts) => {
  expect(() => decodeCursor(encodeCursor(parts), ['instant', 'uuid'])).toThrow(ProblemError);
});

test.each([['\u0000'], ['\ud800'], [1.5], [1e300], [null]])('a cursor holding %j is refused', (value) => {
  for (const kind of ['string', 'number'] as const)
    expect(() => decodeCursor(encodeCursor([value as string]), [kind])).toThrow(ProblemError);
});

test('no cursor is the first page', () => expect(decodeCursor(undefined, ['uuid'])).toBeUndefined());

test('a full last page has no next cursor, one row more has', () => {
  const rows = [1, 2, 3].map((id) => ({ id }));
  expect(toPage(rows, 3, (row) => [row.id])).toEqual({ data: rows, next_cursor: null });
  expect(toPage(rows, 2, (row) => [row.id])).toEqual({ data: rows.slice(0, 2), next_cursor: encodeCursor([2]) });
  expect(toPage([], 2, () => [])).toEqual({ data: [], next_cursor: null });
});

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  await db.raw('CREATE TABLE lines (id int PRIMARY KEY, at timestamptz(3) NOT NULL)');
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const types: Record<CursorKind, string> = {
  string: 'text',
  uuid: 'uuid',
  instant: 'timestamptz',
  date: 'date',
  number: 'int',
};
const extremes: Record<CursorKind, unknown[]> = {
  string: ['', '\u0000', '\ud800', '😀'.repeat(100), "'; --", '?', ':a'],
  uuid: ['', 'f'.repeat(32), '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '{}', 0],
  instant: [
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '10000-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '2026-01-01T00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:59:60Z',
    'infinity',
    `2026-01-01T00:00:00.${'9'.repeat(200)}Z`,
    '2026-01-01T00:00:00.Z',
    '2026-02-29T00:00:00Z',
    'now',
    '',
  ],
  date: ['0000-01-01', '0001-01-01', '9999-12-31', '10000-01-01', '2026-02-29', '-0001-01-01', 'infinity', 'today', ''],
  number: [0, -0, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, -(2 ** 31) - 1, 2 ** 53 - 1, 2 ** 63, 1e308, 0.5, '1', true, null],
};
const extremeParts = Object.entries(extremes).flatMap(([kind, all]) => all.map((value) => [kind, value] as const));

test.each(extremeParts)('a cursor with a %s of %j is refused, or the database knows it', async (kind, value) => {
  const decoded = tryDecode(encodeCursor([value as string]), [kind as CursorKind]);
  if (decoded instanceof ProblemError) return;
  await db.raw(`SELECT CAST(? AS ${types[kind as CursorKind]})`, decoded as string[]);
});

test('paging shows every row that was there once, in order, while others are inserted between the pages', async () => {
  const instants = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(instants, fc.integer({ min: 1, max: 4 }), async (seconds, limit) => {
      await db('lines').delete();
      await db('lines').insert(seconds.map((s, id) => ({ id, at: new Date(s * 1000) })));
      const expected = (await db('lines').orderBy(['at', 'id'].map((column) => ({ column, order: 'desc' })))).map(
        (r) => r.id,
      );
      expect((await walk(limit)).filter((id) => id < 1000)).toEqual(expected);
    }),
    { seed: 3, numRuns: 25 },
  );
});

async function walk(limit: number): Promise<number[]> {
  const seen: number[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page++) {
    const after = decodeCursor(cursor, ['instant', 'number']);
    const rows: { id: number; at: Date }[] = await db('lines')
      .modify((query) => after && query.whereRaw('(at, id) < (?::timestamptz, ?::int)', after))
      .orderBy([
        { column: 'at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(limit + 1);
    const { data, next_cursor } = toPage(rows, limit, (row) => [row.at.toISOString(), row.id]);
    seen.push(...data.map((row) => row.id));
    if (next_cursor === null) return seen;
    cursor = next_cursor;
    await db('lines').insert({ id: 1000 + page, at: new Date(2500) });
  }
}
