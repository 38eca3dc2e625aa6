import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { getImport } from '@ops/imports/import-service';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { fileOf, importersOf } from '../../test/importers.ts';
import { startWorld, type World } from '../../test/world.ts';

let world: World;
let { start, send, resume, ended } = {} as ReturnType<typeof importersOf>;
beforeAll(async () => {
  world = await startWorld();
  ({ start, send, resume, ended } = importersOf(world));
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.empty();
  await emptyTables(world.db, 'imports', 'inbox');
});

/** As it stands some minutes later, with nothing of it on the bus. */
async function leave(id: string, change: object = {}) {
  await world.db('outbox').delete();
  await world
    .db('imports')
    .where({ id })
    .update({ updated_at: '2026-03-01T00:00:00Z', ...change });
}

test('an import whose message was lost is gone on with, once in a while', async () => {
  const id = await send(fileOf(60));
  await resume();
  expect(await world.told()).toHaveLength(1);
  await leave(id);
  await resume();
  await resume();
  expect(await world.db('outbox')).toHaveLength(1);
  const working = start({ batch: 20 });
  expect(await ended(id)).toMatchObject({ status: 'COMPLETED', counts: { done: 60 } });
  await working.kill();
});

test('what the version before began is left to it as long as it claims it, then gone on with, or ended where its file cannot be read on', async () => {
  const [running, unread] = [await send(fileOf(30)), await send(fileOf(30))];
  const working = start({ batch: 10 });
  await ended(running);
  await working.kill();
  await world.db('import_rows').where({ import_id: running }).andWhere('line', '>', 11).update({ outcome: 'create' });
  const claim = { claim: '0195c4e0-0000-7000-8000-000000000001', claimed_until: '2999-01-01T00:00:00Z' };
  await leave(running, { ...claim, status: 'RUNNING', finished_at: null });
  await leave(unread, { ...claim, status: 'CHECKING', read_to: null });
  await resume();
  expect(await world.db('outbox')).toEqual([]);
  await world.db('imports').update({ claim: null, claimed_until: null });
  await resume();
  expect(await getImport(world.db, unread)).toMatchObject({
    status: 'FAILED',
    failure: expect.stringContaining('send it again'),
  });
  const again = start({ batch: 10 });
  expect((await ended(running)).status).toBe('COMPLETED');
  await again.kill();
});

test.each([
  [false, 6],
  [true, 12],
])('when it is %s that people are being served, 250 rows are %i steps', async (busy, steps) => {
  const id = await send(fileOf(250));
  const working = start({ busy });
  expect(await ended(id)).toMatchObject({ status: 'COMPLETED', counts: { done: 250 } });
  await working.kill();
  expect(await world.db('outbox').where({ type: 'renewal_import.continue' })).toHaveLength(steps);
});
