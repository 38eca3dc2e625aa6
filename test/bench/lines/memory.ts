import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { System } from '@ops/test-system/system';
import { startBare } from '../floors/bare-process.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { startGenerator } from '../load.ts';
import { ourProcesses } from '../processor-time.ts';
import { medianOf } from '../rounds.ts';
import { askedByStaff, introduce, openSystem, webhooksOf } from '../traffic.ts';

/** After which a process has nothing left to do of its start. */
const idleMs = 15_000;

export const memory: Line = {
  name: 'memory',
  title:
    'memory of the five processes, idle and after --minutes of load: what a container cannot give back, Anonymous and Shared_Dirty of smaps_rollup',
  floor: 'five bare express processes, counted the same',
  minutes: 0.5,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench);
  const bare = await Promise.all(Array.from({ length: 5 }, () => startBare(bench.undo, 'bare-express')));
  await pause(idleMs);
  const ours = await heldByOurs();
  const floor = await Promise.all(bare.map(({ pid }) => held(pid)));
  const idle: Figure = {
    what: 'memory of the five processes, idle',
    unit: 'MB',
    system: sum(Object.values(ours)),
    floor: sum(floor),
    aim: { of: 'ratio', atMost: 1.6 },
    told: inWords(ours),
  };
  return bench.minutes < 2 ? [idle] : [idle, await underLoad(bench, system)];
}

/** Requests a second. */
const load = { staff: 20, webhooks: 5 };

/** From the second sixth of the time, when all has been loaded that is ever needed, to the last. */
async function underLoad({ minutes, undo }: Bench, system: System): Promise<Figure> {
  const send = await startGenerator(undo);
  await introduce(system);
  const samples: Held[] = [];
  const refusals: string[] = [];
  for (let minute = 0; minute < minutes; minute++) {
    const staff = await askedByStaff(system, load.staff * 60);
    const webhooks = webhooksOf(system.gatewayUrl, `minute-${minute}`, load.webhooks * 60);
    const requests = webhooks.flatMap((one, n) => [...staff.slice(n * 4, n * 4 + 4), one]);
    await send({ origin: system.gatewayUrl, requests, perSecond: requests.length / 60, seconds: 60 }).catch(
      (error: Error) => refusals.push(error.message),
    );
    samples.push(await heldByOurs());
  }
  const sixth = Math.ceil(minutes / 6);
  const [early, late] = [samples.slice(sixth, 2 * sixth), samples.slice(-sixth)].map((some) =>
    Object.fromEntries(names(some).map((name) => [name, medianOf(some, (one) => one[name] ?? Number.NaN)])),
  ) as [Held, Held];
  return {
    what: `memory of the five processes after ${minutes} minutes of load`,
    unit: 'MB',
    system: sum(Object.values(late)),
    floor: sum(Object.values(early)),
    told: `${load.staff} requests of staff and ${load.webhooks} webhooks a second; the floor is the same after a sixth of the time: ${inWords(early)}, then ${inWords(late)}; in ${refusals.length} of the minutes something was refused`,
  };
}

/** Megabytes, by process. */
type Held = Record<string, number>;

async function heldByOurs(): Promise<Held> {
  const all = [...(await ourProcesses())].map(async ([name, pid]) => [name, await held(pid)] as const);
  return Object.fromEntries(await Promise.all(all));
}

const names = (some: readonly Held[]): string[] => Object.keys(some[0] ?? {});
const inWords = (all: Held): string =>
  Object.entries(all)
    .map(([name, mb]) => `${name} ${mb.toFixed(0)}`)
    .join(', ');

const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);

async function held(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]);
  return (kilobytes('Anonymous') + kilobytes('Shared_Dirty')) / 1024;
}
