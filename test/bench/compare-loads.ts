import type { Db } from '@ops/service-kit/database';
import type { Sent } from './generator.ts';
import type { Aim, Bench, Figure } from './line.ts';
import type { Generator, Measured } from './load.ts';
import { describeSpent, type Spent, spentBetween, spentBy, spentByPostgres, together } from './processor-time.ts';
import { describeSpread, inTurns, medianOf } from './rounds.ts';
import { type Counted, type Rows, rowsAdded, rowsOf, sameRows } from './rows.ts';

/** One of two that are asked the same over HTTP. */
interface Side {
  origin: string;
  /** Asked for anew before each round: what says who asks may expire. */
  requests(): Promise<Sent[]>;
  processes: ReadonlyMap<string, number>;
  db: Db;
  /** What its requests write into. */
  writes?: Counted;
  /** Nothing of a round goes on in the background. */
  settled?(): Promise<void>;
}

export interface Comparison {
  what: string;
  connections: number;
  system: Side;
  floor: Side;
  send: Generator;
  /** Of the rate, beside the floor's. */
  aim: Aim;
}

interface Stormed extends Measured {
  ours: Spent;
  postgres: number;
  rows: Rows;
}

const stormSeconds = 5;
const steadySeconds = 10;
const steadyShare = 0.7;

/** As fast as the connections take it, in turns; then both at the rate that is 70 % of what the system came to. */
export async function compareLoads(bench: Bench, asked: Comparison): Promise<Figure[]> {
  const { what, connections, system, floor, send, aim } = asked;
  for (const side of [system, floor]) await storm(side, send, connections, 1);
  const measured = await inTurns(
    bench.rounds,
    () => storm(system, send, connections),
    () => storm(floor, send, connections),
  );
  const compared = (of: (one: Stormed) => number) => ({
    system: medianOf(measured.system, of),
    floor: medianOf(measured.floor, of),
  });
  const [ours, bare] = [measured.system.at(-1) as Stormed, measured.floor.at(-1) as Stormed];
  const each = (seconds: number, { requests }: Stormed) => (seconds * 1000) / requests;
  const rates = compared(({ rate }) => rate);
  const perSecond = steadyShare * rates.system;
  const steady = { system: await steadily(system, send, perSecond), floor: await steadily(floor, send, perSecond) };
  return [
    {
      what: `${what}, ${connections} connections`,
      unit: '/s',
      ...rates,
      aim,
      told: `${wrote(ours, bare)}${describeSpread(ours)}, the floor ${describeSpread(bare)}`,
    },
    {
      what: `${what}: processor time of its processes`,
      unit: 'ms',
      ...compared((one) => each(together(one.ours), one)),
      told: `${describeSpent(ours.ours, ours.requests)}, the floor ${describeSpent(bare.ours, bare.requests)}; the generator beside it ${each(ours.spent, ours).toFixed(2)}`,
    },
    {
      what: `${what}: Postgres' processor time`,
      unit: 'ms',
      ...compared((one) => each(one.postgres, one)),
    },
    {
      what: `${what}: p99 at ${perSecond.toFixed(0)}/s`,
      unit: 'ms',
      system: steady.system.p99,
      floor: steady.floor.p99,
      told: `${steadyShare * 100} % of the system's rate; ${describeSpread(steady.system)}, the floor ${describeSpread(steady.floor)}`,
    },
  ];
}

const wrote = (ours: Stormed, bare: Stormed): string =>
  Object.keys(ours.rows).length === 0 ? '' : `both write ${sameRows(ours.rows, bare.rows)}; `;

async function storm(side: Side, send: Generator, connections: number, seconds = stormSeconds): Promise<Stormed> {
  const { origin, processes, db, writes = {}, settled } = side;
  const requests = await side.requests();
  const rows = await rowsOf(writes);
  const [spent, postgres] = [await spentBy(processes), await spentByPostgres(db)];
  const measured = await send({ origin, requests, connections, until: { seconds } });
  await settled?.();
  return {
    ...measured,
    ours: spentBetween(spent, await spentBy(processes)),
    postgres: (await spentByPostgres(db)) - postgres,
    rows: rowsAdded(rows, await rowsOf(writes), measured.requests),
  };
}

async function steadily({ origin, requests, settled }: Side, send: Generator, perSecond: number): Promise<Measured> {
  const measured = await send({ origin, requests: await requests(), perSecond, seconds: steadySeconds });
  await settled?.();
  return measured;
}
