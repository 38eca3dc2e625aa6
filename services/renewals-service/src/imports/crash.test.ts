import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { CsvImport } from '@ops/contracts/resources/import';
import { getImport } from '@ops/service-kit/imports/import-service';
import { eventually } from '@ops/test-kit/eventually';
import { seeded } from '@ops/test-kit/random';
import { fileOf, importersOf } from '../../test/importers.ts';
import { startWorld, type World } from '../../test/world.ts';

let world: World;
let { start, send } = {} as ReturnType<typeof importersOf>;
beforeAll(async () => {
  world = await startWorld();
  ({ start, send } = importersOf(world));
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.empty();
  await world.db('imports').delete();
});

const countOf = async (table: string) => Number((await world.db(table).count())[0]?.count);
/** How far it is: each row counts when it was looked through, and when it was taken in. */
const stepsOf = ({ counts }: CsvImport) => counts.rows + counts.done;

test('killed at any point it goes on from there, and each row is taken in once and told of once', async () => {
  const rows = 2_000;
  const random = seeded(20_260_302);
  const id = await send(fileOf(rows));
  // With enough left to do that the last of them still meets it at work.
  const kills = Array.from({ length: 6 }, () => random.below(rows * 1.5)).sort((a, b) => a - b);
  for (const [turn, point] of kills.entries()) {
    const working = start({ batch: 40, aheadMs: turn * 60_000 });
    working.done.catch(() => {});
    await eventually(async () => expect(stepsOf(await getImport(world.db, id))).toBeGreaterThanOrEqual(point), {
      everyMs: 1,
    });
    await working.kill();
  }
  expect((await getImport(world.db, id)).status).toBe('RUNNING');
  await start({ batch: 40, aheadMs: kills.length * 60_000 }).done;

  const counts = { rows, to_create: rows, to_change: 0, unchanged: 0, refused: 0, done: rows };
  expect(await getImport(world.db, id)).toMatchObject({ status: 'COMPLETED', counts });
  const told = (await world.told()).map(({ data }) => data.renewal_id);
  expect([told.length, new Set(told).size]).toEqual([rows, rows]);
  expect([await countOf('renewals'), await countOf('external_ids'), await countOf('import_rows')]).toEqual([
    rows,
    rows,
    rows,
  ]);
});

test('two processes at once take each row in once', async () => {
  await Promise.all([send(fileOf(500)), send(fileOf(500))]);
  const working = [1, 2, 3].map(() => start({ batch: 20, aheadMs: 0 }));
  await Promise.all(working.map(({ done }) => done));
  const statuses = await world.db('imports').pluck('status');
  expect([statuses, await countOf('renewals')]).toEqual([['COMPLETED', 'COMPLETED'], 500]);
});

test('whoever is too slow loses the import to another, and does nothing more to it', async () => {
  await send(fileOf(1_000));
  const slow = start({ batch: 10, aheadMs: 0 });
  await eventually(async () => expect(await countOf('import_rows')).toBeGreaterThan(0), { everyMs: 1 });
  // Whose clock says that the slow one is past its time.
  const other = start({ batch: 50, aheadMs: 60_000 });
  await Promise.all([slow.done, other.done]);
  expect([await countOf('renewals'), (await world.told()).length]).toEqual([1_000, 1_000]);
});

test('an import that process after process dies of is given up, with what it came to', async () => {
  const id = await send(fileOf(10));
  const stuck = await world.db.transaction();
  await stuck.raw('LOCK TABLE import_rows IN EXCLUSIVE MODE');
  const claims = async () => (await world.db('imports').where({ id }).first('claims')).claims;
  for (const turn of [1, 2, 3]) {
    const working = start({ batch: 10, aheadMs: turn * 60_000 });
    working.done.catch(() => {});
    await eventually(async () => expect(await claims()).toBe(turn), { everyMs: 5 });
    await working.kill();
  }
  await stuck.rollback();
  await start({ batch: 10, aheadMs: 240_000 }).done;
  const failure = expect.stringMatching(/3 times.*0 rows/);
  expect(await getImport(world.db, id)).toMatchObject({ status: 'FAILED', failure, finished_at: expect.any(String) });
  expect([await countOf('renewals'), await countOf('import_chunks')]).toEqual([0, 0]);
});
