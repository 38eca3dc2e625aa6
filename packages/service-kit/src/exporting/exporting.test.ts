import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type ExportLine, exportLine } from '@ops/contracts/internal-routes';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, openDatabase } from '../database/database.ts';
import { IDS } from '../erasure/sought.ts';
import { createExporting, type ExportedKind } from './exporting.ts';

let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  await db.raw('CREATE TABLE things (id int PRIMARY KEY, customer_id text NOT NULL, at timestamptz)');
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() => emptyTables(db, 'things'));

const things: ExportedKind = {
  kind: 'things',
  title: 'Things',
  table: 'things',
  theirs: `t.customer_id = ANY (${IDS})`,
  at: 't.at',
  key: `lpad(CAST(t.id AS text), 5, '0')`,
};
const order = { customer_ids: ['C-1', 'C-2'], records: [], externals: [] };

async function told(kinds: readonly ExportedKind[]): Promise<ExportLine[]> {
  const lines: ExportLine[] = [];
  for await (const page of createExporting(db, kinds).part(order))
    lines.push(
      ...page
        .trimEnd()
        .split('\n')
        .map((line) => exportLine.parse(JSON.parse(line))),
    );
  return lines;
}
const idsIn = (lines: readonly ExportLine[]) => lines.flatMap((line) => ('row' in line ? [line.row.id] : []));

test('each row of theirs is told once, in the order of time, however many pages it takes and however many are of one instant', async () => {
  const at = ['2026-03-01T12:00:00.000001Z', '2026-03-01T12:00:00.000002Z', null];
  const rows = Array.from({ length: 1_021 }, (_, id) => ({
    id,
    customer_id: `C-${(id % 4) + 1}`,
    at: at[id % 3] ?? null,
  }));
  await db('things').insert(rows);
  const inOrder = [null, at[0], at[1]].flatMap((instant) =>
    rows.filter((row) => row.at === instant && ['C-1', 'C-2'].includes(row.customer_id)).map(({ id }) => id),
  );
  expect(idsIn(await told([things]))).toEqual(inOrder);
});

test('each kind is named, one of which there is nothing too, and the last line says that this was all', async () => {
  await db('things').insert({ id: 1, customer_id: 'C-1', at: '2026-03-01T12:00:00Z' });
  const none = { ...things, kind: 'none', title: 'None', theirs: 'false' };
  expect(await told([none, things])).toEqual([
    { kind: 'none', title: 'None' },
    { kind: 'things', title: 'Things' },
    { row: { id: 1, customer_id: 'C-1', at: expect.stringMatching(/^2026-03-01T12:00:00/) } },
    { end: true },
  ]);
});

test('no more is read than is taken, a page at a time', async () => {
  await db('things').insert(Array.from({ length: 500 }, (_, id) => ({ id, customer_id: 'C-1', at: null })));
  const lines = createExporting(db, [things]).part(order)[Symbol.asyncIterator]();
  await lines.next();
  await db('things').where('id', '>', 250).delete();
  const rest = [(await lines.next()).value, (await lines.next()).value];
  expect(rest.map((page) => String(page).trimEnd().split('\n').length)).toEqual([51, 1]);
});
