import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { createProvisionedDatabase, type TestDatabase } from '../../test/database.ts';
import { type Db, execute, inTransaction, openDatabase, rows, type Trx } from '../database/database.ts';
import { createLogger } from '../observing/logger.ts';
import { actIn, audit } from './auditing.ts';
import { type Ask, headOf, holds, verifyChain } from './chain.ts';
import { watchChain } from './chain-watch.ts';
import { sealAudit } from './sealing.ts';

const logger = createLogger('test', 'silent');
let database: TestDatabase;
/** As the service, and as whoever owns the database. */
let db: Db;
let owner: Db;
let ask: Ask;

beforeEach(async () => {
  database = await createProvisionedDatabase();
  db = openDatabase(database.urls.comms, { applicationName: 'kit-test' });
  owner = openDatabase(database.adminUrl, { applicationName: 'kit-test', max: 1 });
  await owner.raw('SET search_path = comms_audit');
  ask = (sql) => rows(db, sql);
});
afterEach(async () => {
  await Promise.all([db.destroy(), owner.destroy()]);
  await database.drop();
});

const write = async (trx: Trx, id: string) => {
  actIn(trx, { actor: { sub: 'ada', role: 'admin' }, requestId: 'r', action: 'patchCustomer' });
  const subject = { kind: 'customer', id, customer_id: id } as const;
  await audit(trx, { subject, before: { name: 'Demo', tags: [1] }, after: { name: 'Other', tags: [1.5, 'ä'] } });
};
const written = (...ids: string[]) => inTransaction(db, async (trx) => Promise.all(ids.map((id) => write(trx, id))));
const seal = () => sealAudit(db, logger);
const verify = () => verifyChain(ask);
const rowOf = async (id: string) =>
  (await rows<{ id: string }>(db, 'SELECT id FROM audit WHERE subject_id = ?', [id]))[0]?.id as string;

/** Some rows, sealed in two turns. */
async function sealed(...ids: string[]): Promise<void> {
  for (const id of ids) {
    await written(id);
    await seal();
  }
}

test('what was written is chained, and verified; again changes nothing', async () => {
  await written('C-1', 'C-2');
  await seal();
  await sealed('C-3');
  await seal();
  expect(await verify()).toEqual({
    at: { seq: 3, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    rows: 3,
    withoutValues: 0,
  });
});

test('what commits late is sealed late, though its time and its id are earlier', async () => {
  const late = await db.transaction();
  await write(late, 'late');
  await sealed('C-2');
  await late.commit();
  await seal();
  const order = await rows<{ subject_id: string }>(
    db,
    'SELECT subject_id FROM audit_seals JOIN audit ON id = audit_id ORDER BY seq',
  );
  expect(order.map(({ subject_id }) => subject_id)).toEqual(['C-2', 'late']);
  expect(await verify()).toMatchObject({ rows: 2, fault: undefined });
});

test('who writes waits for no sealer, and no sealer for another', async () => {
  await written('C-1');
  const sealing = await db.transaction();
  await execute(sealing, 'SELECT seal_audit(10)');
  await written('C-2');
  await seal();
  expect((await headOf(ask)).seq).toBe(0);
  await sealing.rollback();
  await seal();
  expect(await verify()).toMatchObject({ rows: 2, fault: undefined });
});

test('values that an erasure took leave the chain whole, and are counted', async () => {
  await sealed('C-1', 'C-2');
  await owner.raw('DELETE FROM audit_values WHERE audit_id = ?', [await rowOf('C-1')]);
  expect(await verify()).toMatchObject({ rows: 2, withoutValues: 1, fault: undefined });
});

test('a row may be gone seven years after its seal', async () => {
  await sealed('C-1');
  await owner.raw(`UPDATE audit_seals SET at = now() - interval '8 years'`);
  await owner.raw(
    `UPDATE audit_seals SET hash = encode(sha256(convert_to(concat_ws('|', previous, seq, audit_id, digest,
       floor(extract(epoch FROM at) * 1000)::bigint, ''), 'UTF8')), 'hex')`,
  );
  await owner.raw('UPDATE audit_head SET hash = (SELECT hash FROM audit_seals)');
  await execute(db, 'SELECT remove_audit(ARRAY(SELECT id FROM audit))');
  expect(await rows(db, 'SELECT FROM audit')).toEqual([]);
  expect(await verify()).toMatchObject({ at: { seq: 1 }, rows: 0, fault: undefined });
});

describe('it is found when whoever owns the database', () => {
  const attacks: [string, (row: string) => Promise<unknown>, string][] = [
    ['changes who it was', (id) => owner.raw(`UPDATE audit SET actor = 'bob' WHERE id = ?`, [id]), 'was changed'],
    [
      'changes when it was',
      (id) => owner.raw(`UPDATE audit SET at = at - interval '1 s' WHERE id = ?`, [id]),
      'changed',
    ],
    [
      'changes a value',
      (id) =>
        owner.raw(`UPDATE audit_values SET changes = jsonb_set(changes, '{0,old}', '"x"') WHERE audit_id = ?`, [id]),
      'the values of row',
    ],
    [
      'adds a field',
      (id) =>
        owner.raw(`UPDATE audit_values SET changes = changes || '[{"field":"a","old":1,"new":2}]' WHERE audit_id = ?`, [
          id,
        ]),
      'the values of row',
    ],
    ['removes a row', (id) => owner.raw('DELETE FROM audit WHERE id = ?', [id]), 'is missing'],
    [
      'removes a row with its seal',
      async (id) => {
        await owner.raw('DELETE FROM audit WHERE id = ?', [id]);
        await owner.raw('DELETE FROM audit_seals WHERE audit_id = ?', [id]);
      },
      'is missing',
    ],
    [
      'changes a row and its seal',
      async (id) => {
        await owner.raw(`UPDATE audit SET actor = 'bob' WHERE id = ?`, [id]);
        await owner.raw(`UPDATE audit_seals SET digest = repeat('0', 64) WHERE audit_id = ?`, [id]);
      },
      'was changed',
    ],
  ];
  test.each(attacks)('%s', async (_what, attack, fault) => {
    await sealed('C-1', 'C-2', 'C-3');
    const row = await rowOf('C-2');
    await attack(row);
    const found = (await verify()).fault;
    expect(found).toContain(fault);
    expect(found).toMatch(new RegExp(`${row}|seal 2`));
    await seal();
    expect((await verify()).fault).toBe(found);
  });

  test('takes the newest seal away, also when its row is to be sealed once more', async () => {
    await sealed('C-1', 'C-2');
    await owner.raw('DELETE FROM audit_seals WHERE seq = 2');
    expect((await verify()).fault).toBe('seal 2, the last one, is missing');
    await owner.raw('UPDATE audit SET sealed = false WHERE id = ?', [await rowOf('C-2')]);
    await seal();
    expect((await verify()).fault).toBe('seal 2 is missing');
  });

  const backdated = (isSealed: boolean) =>
    owner.raw(
      `INSERT INTO audit (id, at, actor, role, request_id, action, subject_kind, subject_id, digests, sealed)
       VALUES (?, now() - interval '1 day', 'bob', 'staff', 'r', 'x', 'task', '1', '[]', ?)`,
      [uuidv7(), isSealed],
    );

  test('adds a row that says it is older, and keeps it from the sealer', async () => {
    await sealed('C-1');
    await backdated(true);
    expect((await verify()).fault).toContain('was never sealed');
  });

  test('adds a row that says it is older, which nobody has sealed yet', async () => {
    await sealed('C-1');
    await backdated(false);
    expect((await verify()).fault).toContain('was never sealed');
    await seal();
    expect((await verify()).fault).toContain('was added later than it says');
  });

  test('cuts the end off and says that there was none, while a process remembers it, or somebody kept it', async () => {
    await sealed('C-1', 'C-2');
    const kept = await headOf(ask);
    const watch = watchChain(db, logger);
    await watch.turn();
    expect(watch.fault()).toBeUndefined();
    await owner.raw(`DELETE FROM audit WHERE subject_id = 'C-2'`);
    await owner.raw('DELETE FROM audit_seals WHERE seq = 2');
    await owner.raw('UPDATE audit_head SET seq = 1, hash = (SELECT hash FROM audit_seals)');
    expect((await verify()).fault).toBeUndefined();
    expect(await holds(ask, kept)).toBe(false);
    await watch.turn();
    expect(watch.fault()).toBe('seal 2 was there and is gone');
    await sealed('C-3', 'C-4');
    await watch.turn();
    expect(watch.fault()).toBe('seal 2 was there and is gone');
  });
});

test('what was there before there were seals is sealed, however old', async () => {
  await owner.raw(
    `INSERT INTO audit (id, at, actor, role, request_id, action, subject_kind, subject_id, digests)
     SELECT gen_random_uuid(), now() - make_interval(days => n), 'a', 'staff', 'r', 'x', 'task', n::text, '[]'
     FROM generate_series(1, 1203) n`,
  );
  await seal();
  await seal();
  expect(await verify()).toMatchObject({ rows: 1203, fault: undefined });
});

test('a watch goes round in portions, finds what was changed behind it, and a round later that all is well again', async () => {
  await sealed('C-1', 'C-2', 'C-3');
  const watch = watchChain(db, logger, 2);
  const turns = async (n: number) => {
    for (let turn = 0; turn < n; turn++) await watch.turn();
    return watch.fault();
  };
  expect(await turns(3)).toBeUndefined();
  await owner.raw(`UPDATE audit SET actor = 'bob' WHERE subject_id = 'C-3'`);
  expect(await turns(2)).toContain('was changed');
  await owner.raw(`UPDATE audit SET actor = 'ada' WHERE subject_id = 'C-3'`);
  expect(await turns(3)).toBeUndefined();
});

test('whatever is written and undone at once, while several seal: each row is sealed once, and the chain is whole', async () => {
  const transactions = fc.array(
    fc.record({ rows: fc.integer({ min: 1, max: 4 }), undone: fc.boolean(), seals: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  let expected = 0;
  await fc.assert(
    fc.asyncProperty(transactions, async (all) => {
      await Promise.all(
        all.map(async (one) => {
          const trx = await db.transaction();
          for (let n = 0; n < one.rows; n++) await write(trx, uuidv7());
          if (one.seals) await seal();
          await (one.undone ? trx.rollback() : trx.commit());
          expected += one.undone ? 0 : one.rows;
          await seal();
        }),
      );
      await seal();
      expect(await verify()).toEqual({ at: await headOf(ask), rows: expected, withoutValues: 0 });
      expect((await headOf(ask)).seq).toBe(expected);
    }),
    { numRuns: 25 },
  );
});
