import type { World } from '../../../services/renewals-service/test/world.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { checkpoint, startWorldOf, today } from '../many-renewals.ts';
import { type Cost, costOf } from '../processor-time.ts';
import { createUndo, type Undo } from '../undo.ts';
import { unlimited } from '../unlimited.ts';

const due = 12_000;
const few = 100_000;

export const refresh: Line = {
  name: 'refresh',
  title: `refresh of a million renewals, ${due} to be alerted; the same of ${few}`,
  floor: 'one UPDATE that writes days until due into every row of a copy with the same indexes; one round',
  minutes: 4.5,
  measure,
};

async function measure({ renewals, undo }: Bench): Promise<Figure[]> {
  // The first night of a process is the slowest, whatever its size.
  await nightOf(2 * due, undo);
  const small = await nightOf(few, undo);
  const large = await nightOf(renewals, undo, updateAll);
  const plain = large.beside as Cost;
  return [
    {
      what: `refresh of ${renewals} renewals`,
      unit: 's',
      system: large.night.seconds,
      floor: plain.seconds,
      aim: { of: 'ratio', atMost: 0.03 },
      told: `with nothing to do ${large.again.seconds.toFixed(2)} s`,
    },
    {
      what: `refresh of ${renewals}: processor time`,
      unit: 's',
      system: spentOf(large.night),
      floor: spentOf(plain),
      told: `of this process, which plays renewals-service, ${large.night.own.toFixed(2)} s, the rest of Postgres`,
    },
    {
      what: `refresh of ${renewals} beside one of ${few}`,
      unit: 's',
      system: large.night.seconds,
      floor: small.night.seconds,
      aim: { of: 'ratio', atMost: 1.1 },
      told: `processor time ${spentOf(large.night).toFixed(2)} beside ${spentOf(small.night).toFixed(2)} s`,
    },
  ];
}

const spentOf = ({ own, postgres }: Cost): number => own + postgres;

/** What one night costs, and the same night once more; then something else beside it. */
async function nightOf(total: number, undo: Undo, other?: (world: World) => Promise<Cost>) {
  const own = createUndo();
  undo.add(own.all);
  const world = await startWorldOf(total, due);
  own.add(world.close);
  if (other) await makeCopy(world);
  await checkpoint(world);
  let run: Awaited<ReturnType<World['night']>> | undefined;
  const night = await costOf(world.db, async () => {
    run = await world.night(today);
  });
  if (run?.status !== 'COMPLETED' || run.counts.fired !== due)
    throw new Error(`the run ended so: ${JSON.stringify(run)}`);
  const again = await costOf(world.db, () => world.night(today));
  await checkpoint(world);
  const beside = await other?.(world);
  await own.all();
  return { night, again, beside };
}

const makeCopy = ({ db }: World) =>
  unlimited(db, async (query) => {
    await query(`
      CREATE TABLE copy (LIKE renewals INCLUDING ALL);
      ALTER TABLE copy ADD COLUMN days_until_due integer;
      INSERT INTO copy SELECT * FROM renewals`);
    await query('VACUUM ANALYZE copy');
  });

const updateAll = (world: World): Promise<Cost> =>
  unlimited(world.db, (query) =>
    costOf(world.db, () => query('UPDATE copy SET days_until_due = due_date - CURRENT_DATE')),
  );
