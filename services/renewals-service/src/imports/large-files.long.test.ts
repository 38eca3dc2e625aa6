import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { fileOf, importersOf } from '../../test/importers.ts';
import { startWorld, type World } from '../../test/world.ts';

let world: World;
let { start, send, ended, file } = {} as ReturnType<typeof importersOf>;
beforeAll(async () => {
  world = await startWorld();
  ({ start, send, ended, file } = importersOf(world));
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.empty();
  await world.db('imports').delete();
});

test('10,000 rows of nearly 40 MiB are taken in by a process whose heap could not hold them', async () => {
  const rows = 10_000;
  const id = await send(fileOf(rows, 'x'.repeat(4_000)));
  const working = start({ batch: 200 });
  expect(await ended(id, 400_000)).toMatchObject({ status: 'COMPLETED', counts: { done: rows } });
  await working.kill();
});

test('40 MiB of rows as long as a row may be need no more memory than short ones, nor does their outcome', async () => {
  const bytes = 255_000;
  // Blanks say nothing; signs like this one take six times their room on their way into the database.
  const notes = [' '.repeat(bytes), '\u0001'.repeat(bytes)];
  const rows = Array.from({ length: 160 }, (_, n) => `C-1,RESIDENCE_PERMIT,2027-03-01,X-${n},${notes[n % 2]}`);
  const id = await send(Buffer.from(`customer_id,service_type,due_date,external_id,notes\n${rows.join('\n')}\n`));
  const working = start({ batch: 200 });
  const counts = { rows: 160, refused: 80, done: 80 };
  expect(await ended(id, 400_000)).toMatchObject({ status: 'COMPLETED', counts });
  await working.kill();
  const pieces: number[] = [];
  for await (const piece of await file(id)) pieces.push(piece.length);
  expect(Math.max(...pieces)).toBeLessThan(2 * 1024 * 1024);
});
