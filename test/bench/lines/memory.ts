import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { startBare } from '../floors/bare-process.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { ourProcesses } from '../processor-time.ts';
import { openSystem } from '../traffic.ts';

/** After which a process has nothing left to do of its start. */
const idleMs = 15_000;

export const memory: Line = {
  name: 'memory',
  title:
    'memory of the five processes, idle: what a container cannot give back, Anonymous and Shared_Dirty of smaps_rollup',
  floor: 'five bare express processes, counted the same',
  minutes: 0.5,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  await openSystem(bench);
  const bare = await Promise.all(Array.from({ length: 5 }, () => startBare(bench.undo, 'bare-express')));
  await pause(idleMs);
  const ours = await Promise.all(
    [...(await ourProcesses())].map(async ([name, pid]) => ({ name, mb: await held(pid) })),
  );
  const floor = await Promise.all(bare.map(({ pid }) => held(pid)));
  return [
    {
      what: 'memory of the five processes, idle',
      unit: 'MB',
      system: sum(ours.map(({ mb }) => mb)),
      floor: sum(floor),
      aim: { of: 'ratio', atMost: 1.6 },
      told: ours.map(({ name, mb }) => `${name} ${mb.toFixed(0)}`).join(', '),
    },
  ];
}

const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);

async function held(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]);
  return (kilobytes('Anonymous') + kilobytes('Shared_Dirty')) / 1024;
}
