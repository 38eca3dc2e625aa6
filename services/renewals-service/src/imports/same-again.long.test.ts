import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { RenewalImportRow } from '@ops/contracts/resources/import';
import type { Verdict } from '@ops/imports/import';
import { inTransaction, type Trx } from '@ops/service-kit/database';
import { ProblemError } from '@ops/service-kit/errors';
import fc from 'fast-check';
import { cardOf } from '../../test/customers.ts';
import { noAlerts } from '../../test/notifier.ts';
import { startWorld, type World } from '../../test/world.ts';
import { completeRenewal, reopenRenewal } from '../renewals/completion-service.ts';
import { cancelRenewal, createRenewal, patchRenewal } from '../renewals/renewal-service.ts';
import type { ForecastDeps } from './forecast-service.ts';
import { renewalImport } from './import-service.ts';

let world: World;
let deps: ForecastDeps;
beforeAll(async () => {
  world = await startWorld();
  deps = { ...world.deps, alerts: noAlerts, customers: { cards: async (ids) => ids.map(cardOf) } };
});
afterAll(() => world.close());

const foresee = (rows: RenewalImportRow[]): Promise<Verdict[]> =>
  inTransaction(world.db, (trx) => renewalImport(deps).foresee(trx, rows, {}));
const take = (rows: RenewalImportRow[]) => inTransaction(world.db, (trx) => renewalImport(deps).take(trx, rows, {}));

/** As an import does: what is refused, or so already, is not taken in. Answers the rows that are good. */
async function bring(rows: RenewalImportRow[]): Promise<RenewalImportRow[]> {
  const foreseen = await foresee(rows);
  const wanted = rows.filter((_, n) => ['create', 'change'].includes(foreseen[n]?.outcome as string));
  const taken = await take(wanted);
  const unchanged = rows.filter((_, n) => foreseen[n]?.outcome === 'unchanged');
  return [...unchanged, ...wanted.filter((_, n) => taken[n]?.outcome !== 'refused')];
}

let stories = 0;
let isOfPolicies = false;

/** Each story is of a customer and external ids of its own; some know no policies. */
const told = (row: RenewalImportRow): RenewalImportRow => ({
  ...row,
  customer_id: `C-${stories}`,
  policy_id: isOfPolicies ? row.policy_id : undefined,
  ...(row.external_id === undefined ? {} : { external_id: `${row.external_id}-${stories}` }),
});

const all = () =>
  world
    .db('renewals')
    .where({ customer_id: `C-${stories}` })
    .orderBy('id');

const due_date = fc.constantFrom('2026-03-20', '2026-05-01', '2027-05-01', '2028-05-01', '2030-05-01');
/** Most are alike, so that they meet; the last has no term. */
const service_type = fc.constantFrom(...Array.from({ length: 7 }, () => 'WORK_PERMIT'), 'TRAVEL');
const policy_id = fc.constantFrom('P-1', 'P-1', 'P-1', undefined);

const external_id = fc.constantFrom('X-1', 'X-2', 'X-3');

const rowWith = (external_id: fc.Arbitrary<string | undefined>): fc.Arbitrary<RenewalImportRow> =>
  fc.record({ customer_id: fc.constant('C-1'), service_type, due_date, policy_id, external_id });
const anyRow = rowWith(fc.option(external_id, { nil: undefined, freq: 5 }));
/** A list whose rows have ids. */
const file = fc.uniqueArray(rowWith(external_id), { selector: (row) => row.external_id, minLength: 2, maxLength: 3 });

type Move = 'complete' | 'end' | 'cancel' | 'reopen' | 'move';
type Step = { create: RenewalImportRow } | { bring: RenewalImportRow[] } | { move: Move; which: number; to: string };

const move = fc.constantFrom<Move[]>('complete', 'complete', 'complete', 'end', 'cancel', 'reopen', 'move');
const moved = fc.record({ move, which: fc.nat(7), to: due_date });
const broughtOrMade = fc.oneof(fc.record({ bring: file }), fc.record({ create: anyRow }));
const history: fc.Arbitrary<Step[]> = fc
  .array(fc.tuple(broughtOrMade, fc.array(moved, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 3 })
  .map((chapters) => chapters.flat(2));

async function happen(steps: readonly Step[], ofPolicies: boolean): Promise<void> {
  stories += 1;
  isOfPolicies = ofPolicies;
  for (const step of steps) {
    if ('bring' in step) await bring(step.bring.map(told));
    else
      await inTransaction(world.db, (trx) => ('create' in step ? enter(trx, step.create) : moveOne(trx, step))).catch(
        refused,
      );
  }
}

async function enter(trx: Trx, row: RenewalImportRow) {
  const { customer_id, service_type, due_date, policy_id } = told(row);
  await createRenewal(deps, trx, customer_id, { service_type, due_date, policy_id });
}

async function moveOne(trx: Trx, { move, which, to }: Extract<Step, { move: Move }>) {
  const renewals = await all();
  const id = renewals[which % renewals.length]?.id;
  const moves = {
    complete: () => completeRenewal(deps, trx, id, {}, undefined),
    end: () => completeRenewal(deps, trx, id, { create_next: false }, undefined),
    cancel: () => cancelRenewal(deps, trx, id, {}, undefined),
    reopen: () => reopenRenewal(deps, trx, id, undefined),
    move: () => patchRenewal(deps, trx, id, { due_date: to }, undefined),
  };
  if (id !== undefined) await moves[move]();
}

function refused(error: unknown): void {
  if (!(error instanceof ProblemError)) throw error;
}

test('what a dry run says of a row is what taking it does, whatever happened before; then it is so', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), anyRow, async (steps, ofPolicies, given) => {
      await happen(steps, ofPolicies);
      const row = told(given);
      const [foreseen] = await foresee([row]);
      const [taken] = await take([row]);
      expect(taken).toEqual(foreseen?.outcome === 'create' ? { ...foreseen, id: expect.any(String) } : foreseen);
      const after = await all();
      expect(await take([row])).toMatchObject([foreseen?.outcome === 'refused' ? foreseen : { outcome: 'unchanged' }]);
      expect(await all()).toEqual(after);
    }),
    { seed: 2, numRuns: 120 },
  );
});

test('a list whose rows have ids leaves each of its dates watched or renewed, and again changes nothing in any order', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), file, async (steps, ofPolicies, rows) => {
      await happen(steps, ofPolicies);
      const good = await bring(rows.map(told));
      const after = await all();
      for (const { service_type, due_date } of good)
        expect(after).toContainEqual(expect.objectContaining({ service_type, due_date }));
      await bring(good.toReversed());
      expect(await all()).toEqual(after);
    }),
    { seed: 2, numRuns: 120 },
  );
});

test('of imports that bring an external id at once for several customers, one has it', async () => {
  const customers = Array.from({ length: 6 }, (_, n) => `D-${n}`);
  const arrived = customers.map(() => Promise.withResolvers<void>());
  const takeTogether = (customer_id: string, n: number) =>
    inTransaction(world.db, async (trx) => {
      await trx.raw('SELECT 1');
      arrived[n]?.resolve();
      await Promise.all(arrived.map(({ promise }) => promise));
      const row = { customer_id, service_type: 'TRAVEL', due_date: '2027-05-01', external_id: 'X' };
      return renewalImport(deps).take(trx, [row], {});
    });
  const taken = (await Promise.all(customers.map(takeTogether))).flat();
  expect(taken.filter(({ outcome }) => outcome === 'create')).toHaveLength(1);
  expect(taken.filter(({ outcome }) => outcome === 'refused')).toHaveLength(5);
});
