import { rows } from '@ops/service-kit/database';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { importFile } from '../csv-import.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { type Measured, startGenerator } from '../load.ts';
import { describeSpread } from '../rounds.ts';
import { askedByStaff, each, introduce, openSystem, settled } from '../traffic.ts';

/** Some two hundred people at the desk in their busiest hour. */
const perSecond = 30;
const seconds = 15;
const renewalsEach = 20;
/** At which nobody is asleep. */
const office = zoneWhereItIs(12);

export const beside: Line = {
  name: 'beside',
  title: `what staff ask, ${perSecond} requests a second, while a file is taken in and in a night; as many renewals as --rows says`,
  floor: 'the same requests while nothing else goes on',
  minutes: 3,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench, { env: { OPS_TIME_ZONE: office } });
  const send = await startGenerator(bench.undo);
  await introduce(system);
  await importFile(system, 'customers', ['customer_id,name,phones,emails', ...people(bench.rows)]);
  await settled(system);
  const ask = async () =>
    send({ origin: system.gatewayUrl, requests: await askedByStaff(system, perSecond * seconds), perSecond, seconds });
  /** The slowest of as many rounds as are asked for, or as there is time for. */
  const slowest = async (isOver = () => false): Promise<Measured> => {
    let worst = await ask();
    for (let round = 1; round < bench.rounds && !isOver(); round++) {
      const next = await ask();
      if (next.p99 > worst.p99) worst = next;
    }
    return worst;
  };

  await looked(system);
  await ask();
  const alone = await slowest();
  let isTakenIn = false;
  const header = 'customer_id,service_type,due_date,external_id';
  const importing = importFile(system, 'renewals', [header, ...renewals(bench.rows)]).finally(() => {
    isTakenIn = true;
  });
  const besideImport = await slowest(() => isTakenIn);
  const took = await importing;
  await settled(system);
  await looked(system);
  // People are there when it begins.
  await ask();
  const scheduler = await system.client('scheduler');
  const night = await scheduler.post('/ops/renewals/refresh', undefined, { headers: { prefer: 'respond-async' } });
  if (night.status > 202) throw new Error(`the refresh was answered ${night.status}: ${JSON.stringify(night.body)}`);
  const besideNight = await slowest();
  const left = await system
    .database('notifier')('sends')
    .whereIn('status', ['SENT', 'DELIVERED', 'READ'])
    .count({ n: '*' });

  const figure = (when: string, measured: Measured, told: string): Figure => ({
    what: `p99 of what staff ask ${when}`,
    unit: 'ms',
    system: measured.p99,
    floor: alone.p99,
    aim: { of: 'ratio', atMost: 3 },
    told: `the slowest round: ${describeSpread(measured)}, alone ${describeSpread(alone)}; ${told}`,
  });
  return [
    figure(`while ${bench.rows} renewals are taken in`, besideImport, `taken in within ${took.toFixed(0)} s`),
    figure(`in a night of ${bench.rows} alerts`, besideNight, `${left[0]?.n} messages had left when it was measured`),
  ];
}

/**
 * As the server does by itself within a minute, once so many rows of a table are new: of one that it looked at while it was
 * empty it would plan as for an empty one until then.
 */
async function looked({ database }: System): Promise<void> {
  for (const owner of ['comms', 'renewals', 'notifier'] as const) {
    const db = database(owner);
    const grown = await rows<{ name: string }>(
      db,
      `SELECT quote_ident(relname) AS name FROM pg_stat_user_tables
       WHERE schemaname = current_schema() AND n_mod_since_analyze >= 50`,
    );
    if (grown.length > 0) await db.raw(`ANALYZE ${grown.map(({ name }) => name).join(', ')}`);
  }
}

const people = (rows: number): string[] =>
  each(
    Math.ceil(rows / renewalsEach),
    (n) => `C-beside-${n},Customer ${n},+44772${String(n).padStart(7, '0')},beside-${n}@example.com`,
  );

/** Each is to be alerted of in the next night. */
function renewals(rows: number): string[] {
  const due = dateIn(office, 30);
  const customers = Math.ceil(rows / renewalsEach);
  return each(rows, (n) => `C-beside-${n % customers},RESIDENCE_PERMIT,${due},X-${n}`);
}
