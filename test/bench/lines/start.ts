import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended, endProcess, readLines } from '@ops/machine/child-process';
import { startPostgres } from '@ops/machine/postgres';
import { captureLog } from '@ops/test-kit/logs';
import { startBare } from '../floors/bare-process.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { spentByEnded } from '../processor-time.ts';
import { inTurns, medianOf } from '../rounds.ts';
import { createUndo, type Undo } from '../undo.ts';

export const start: Line = {
  name: 'start',
  title: '`npm start` of what is installed and has run before, empty, until it says that it is ready',
  floor: 'the same Postgres started, then five bare express processes at once',
  minutes: 0.5,
  measure,
};

async function measure({ undo, rounds }: Bench): Promise<Figure[]> {
  const [dataDir, home] = [await folder(undo), await folder(undo)];
  // The first makes everything that later ones find.
  await startAll(undo, dataDir);
  await startFloor(undo, home);
  const measured = await inTurns(
    rounds,
    () => startAll(undo, dataDir),
    () => startFloor(undo, home),
  );
  return [
    {
      what: 'npm start, to ready',
      unit: 's',
      system: medianOf(measured.system, ({ seconds }) => seconds),
      floor: medianOf(measured.floor, ({ seconds }) => seconds),
      aim: { of: 'ratio', atMost: 1.5 },
      told: `processor time until all had ended again ${spentOn(measured.system)} s, the floor ${spentOn(measured.floor)} s`,
    },
  ];
}

interface Started {
  seconds: number;
  /** Processor time of all of it, until it had ended. */
  spent: number;
}

const spentOn = (all: readonly Started[]): string => medianOf(all, ({ spent }) => spent).toFixed(1);

async function folder(undo: Undo): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ops-bench-'));
  undo.add(() => rm(path, { recursive: true, force: true }));
  return path;
}

const launcher = join(import.meta.dirname, '..', '..', '..', 'packages', 'embedded', 'launcher', 'launch.mjs');

async function startAll(undo: Undo, dataDir: string): Promise<Started> {
  const own = createUndo();
  undo.add(own.all);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, OPS_DATA_DIR: dataDir, OPS_SEED: 'none', PORT: '0' };
  const before = await spentByEnded();
  const began = performance.now();
  const child = spawn(process.execPath, [launcher, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  own.add(() => endProcess(child, 'SIGTERM', 20_000));
  const ready = Promise.withResolvers<void>();
  const log = captureLog('npm-start');
  readLines(child, (line) => {
    log(line);
    if (line.startsWith('ready ')) ready.resolve();
  });
  void ended(child).then(() => ready.reject(new Error('npm start ended before it was ready')));
  await ready.promise;
  const seconds = (performance.now() - began) / 1000;
  await own.all();
  return { seconds, spent: (await spentByEnded()) - before };
}

async function startFloor(undo: Undo, home: string): Promise<Started> {
  const own = createUndo();
  undo.add(own.all);
  const before = await spentByEnded();
  const began = performance.now();
  const postgres = await startPostgres({ home, password: 'bench', log: captureLog('bare-postgres') });
  own.add(postgres.stop);
  await Promise.all(Array.from({ length: 5 }, () => startBare(own, 'bare-express')));
  const seconds = (performance.now() - began) / 1000;
  await own.all();
  return { seconds, spent: (await spentByEnded()) - before };
}
