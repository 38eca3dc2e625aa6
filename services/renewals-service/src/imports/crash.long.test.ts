import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createDeadLetters } from '@ops/bus/dead-letters';
import type { CsvImport } from '@ops/contracts/resources/import';
import { getImport } from '@ops/imports/import-service';
import { inTransaction } from '@ops/service-kit/database';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { eventually } from '@ops/test-kit/eventually';
import { seeded } from '@ops/test-kit/random';
import { fileOf, importersOf } from '../../test/importers.ts';
import { startWorld, type World } from '../../test/world.ts';

let world: World;
let { start, send, ended, stopAll } = {} as ReturnType<typeof importersOf>;
beforeAll(async () => {
  world = await startWorld();
  ({ start, send, ended, stopAll } = importersOf(world));
});
afterEach(() => stopAll());
afterAll(() => world.close());
beforeEach(async () => {
  await world.empty();
  await emptyTables(world.db, 'imports', 'inbox', 'dead_letters');
});

const countOf = async (table: string) => Number((await world.db(table).count())[0]?.count);
/** How far it is: each row counts when it was looked through, and when it was taken in. */
const stepsOf = ({ counts }: CsvImport) => counts.rows + counts.done;

const toldOf = async () => (await world.told()).filter(({ type }) => type === 'renewal.changed');

test('killed at any point it goes on from there, and each row is taken in once and told of once', async () => {
  const rows = 800;
  const random = seeded(20_260_302);
  const id = await send(fileOf(rows));
  // With enough left to do that the last of them still meets it at work.
  const kills = Array.from({ length: 6 }, () => random.below(rows * 1.5)).sort((a, b) => a - b);
  for (const point of kills) {
    const working = start({ batch: 40 });
    await eventually(async () => expect(stepsOf(await getImport(world.db, id))).toBeGreaterThanOrEqual(point), {
      everyMs: 1,
    });
    await working.kill();
  }
  expect((await getImport(world.db, id)).status).toBe('RUNNING');
  const last = start({ batch: 40 });
  const counts = { rows, to_create: rows, to_change: 0, unchanged: 0, refused: 0, done: rows };
  expect(await ended(id)).toMatchObject({ status: 'COMPLETED', counts });
  await last.kill();
  const told = (await toldOf()).map(({ data }) => data.renewal_id);
  expect([told.length, new Set(told).size]).toEqual([rows, rows]);
  const stored = ['renewals', 'external_ids', 'import_rows', 'dead_letters'].map(countOf);
  expect(await Promise.all(stored)).toEqual([rows, rows, rows, 0]);
});

test('several processes take each row in once, also when messages of one import are many', async () => {
  const ids = [await send(fileOf(500)), await send(fileOf(500))];
  const again = ids.map((import_id) => ({ type: 'renewal_import.continue' as const, data: { import_id } }));
  await inTransaction(world.db, (trx) => world.deps.outbox.addMany(trx, [...again, ...again]));
  const working = [1, 2, 3].map(() => start({ batch: 20 }));
  const statuses = (await Promise.all(ids.map((id) => ended(id)))).map(({ status }) => status);
  await Promise.all(working.map(({ kill }) => kill()));
  expect([statuses, await countOf('renewals'), (await toldOf()).length]).toEqual([
    ['COMPLETED', 'COMPLETED'],
    500,
    500,
  ]);
});

test('an import that kills process after process is given up, with what it came to, and the others go on', async () => {
  const deadly = await send(fileOf(60, '', (n) => (n === 45 ? 'POISON' : 'C-1')));
  const other = await send(fileOf(60));
  let ends = false;
  const given = ended(deadly, 120_000).finally(() => (ends = true));
  while (!ends) {
    const working = start({ batch: 20, poison: 'POISON' });
    await Promise.race([working.dead, given]);
    if (ends) expect((await ended(other)).status).toBe('COMPLETED');
    await working.kill();
  }
  const failure = expect.stringMatching(/again and again.*40 rows looked through; send the file again, in parts/);
  expect(await given).toMatchObject({ status: 'FAILED', failure, finished_at: expect.any(String) });
  const letters = await world.db('dead_letters').select('queue', 'subject', 'event_id');
  expect(letters).toMatchObject([{ queue: 'renewals-service:import:work', subject: deadly }]);
  expect([await countOf('renewals'), await countOf('import_chunks')]).toEqual([60, 0]);

  const [letter] = await world.db('dead_letters').pluck('id');
  await inTransaction(world.db, (trx) => createDeadLetters(world.db, world.deps.outbox).replay(trx, letter));
  const working = start({ batch: 20, poison: 'POISON' });
  await eventually(async () => expect(await world.db('inbox').pluck('event_id')).toContain(letters[0].event_id));
  await working.kill();
  expect(await ended(deadly)).toMatchObject({ status: 'FAILED', failure });
});
