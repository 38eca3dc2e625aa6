import { rows } from '@ops/service-kit/database';
import { eventually } from '@ops/test-kit/eventually';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { importFile } from '../csv-import.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { type Measured, startGenerator } from '../load.ts';
import { checkpoint } from '../many-renewals.ts';
import { describeSpread } from '../rounds.ts';
import { askedByStaff, each, handedOver, introduce, meet, openSystem, type Person, settled } from '../traffic.ts';
import { unlimited } from '../unlimited.ts';

/** Some two hundred people at the desk in their busiest hour. */
const perSecond = 30;
const seconds = 15;
/** Of one customer. */
const renewalsEach = 2;
/** At which nobody is asleep. */
const office = zoneWhereItIs(12);

export const beside: Line = {
  name: 'beside',
  title: `what staff ask, ${perSecond} requests a second, while a file of --rows renewals is taken in, beside as many, and in the night of them`,
  floor: 'the same requests while nothing else goes on',
  minutes: 9,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench, { env: { OPS_TIME_ZONE: office } });
  const send = await startGenerator(bench.undo);
  await introduce(system);
  await meet(system, send, people(bench.rows));
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

  // A firm has renewals when it takes in more.
  await importFile(system, 'renewals', file(bench.rows, { type: 'WORK_PERMIT', days: 300 }));
  await asOfLongAgo(system);
  await ask();
  const before = await slowest();
  let isTakenIn = false;
  // Each is to be alerted of in the next night.
  const importing = importFile(system, 'renewals', file(bench.rows, { type: 'RESIDENCE_PERMIT', days: 30 })).finally(
    () => {
      isTakenIn = true;
    },
  );
  const besideFile = await slowest(() => isTakenIn);
  const took = await importing;

  await asOfLongAgo(system);
  // There are people when the night begins.
  await ask();
  const after = await slowest();
  const night = await (await system.client('scheduler')).post('/ops/renewals/refresh', undefined, inBackground);
  if (night.status > 202) throw new Error(`the refresh was answered ${night.status}: ${JSON.stringify(night.body)}`);
  const besidePlanning = await slowest();
  await eventually(async () => expectSome(await handedOver(system)), patiently);
  // Meanwhile nobody was there, and all of it went as fast as it can.
  const arriving = await ask();
  const leftBefore = await handedOver(system);
  const besideSending = await slowest();
  const left = (await handedOver(system)) - leftBefore;
  if (left === 0) throw new Error('no message left meanwhile');
  return [
    figure(`while ${bench.rows} renewals are taken in`, besideFile, before, `taken in within ${took.toFixed(0)} s`),
    figure(`in a night of ${bench.rows} alerts`, besidePlanning, after, 'from the call that begins it'),
    figure(
      'while its messages leave',
      besideSending,
      after,
      `${left} left meanwhile; in the first ${seconds} s after people came ${describeSpread(arriving)}`,
    ),
  ];
}

const inBackground = { headers: { prefer: 'respond-async' } };
const patiently = { timeoutMs: 1_800_000, everyMs: 250 };

function expectSome(handed: number): void {
  if (handed === 0) throw new Error('no message has left');
}

function figure(when: string, beside: Measured, alone: Measured, told: string): Figure {
  return {
    what: `p99 of what staff ask ${when}`,
    unit: 'ms',
    system: beside.p99,
    floor: alone.p99,
    aim: { of: 'ratio', atMost: 3 },
    told: `the slowest round: ${describeSpread(beside)}, alone ${describeSpread(alone)}; ${told}`,
  };
}

/**
 * What was taken in is as it will be in the night: nobody is written to of a date that was near when it came, so none came
 * near; and the server has had its checkpoint, which leaves files of the write-ahead log to use again.
 */
async function asOfLongAgo(system: System): Promise<void> {
  await settled(system);
  await unlimited(system.database('renewals'), (query) => query('UPDATE renewals SET silent_through = NULL'));
  await looked(system);
  await checkpoint({ adminUrl: String(process.env.TEST_DATABASE_URL) });
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

const people = (rows: number): Person[] =>
  each(Math.ceil(rows / renewalsEach), (n) => ({
    id: `C-beside-${n}`,
    name: `Customer ${n}`,
    phone: `+44772${String(n).padStart(7, '0')}`,
    email: `beside-${n}@example.com`,
  }));

function file(rows: number, { type, days }: { type: string; days: number }): string[] {
  const due = dateIn(office, days);
  const customers = Math.ceil(rows / renewalsEach);
  const lines = each(rows, (n) => `C-beside-${n % customers},${type},${due},${type}-${n}`);
  return ['customer_id,service_type,due_date,external_id', ...lines];
}
