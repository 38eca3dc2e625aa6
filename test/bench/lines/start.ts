import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended, endProcess, readLines } from '@ops/machine/child-process';
import { startPostgres } from '@ops/machine/postgres';
import { captureLog } from '@ops/test-kit/logs';
import { startBare } from '../floors/bare-process.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { inTurns, median } from '../rounds.ts';
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
      system: median(measured.system),
      floor: median(measured.floor),
      aim: { of: 'ratio', atMost: 1.5 },
    },
  ];
}

async function folder(undo: Undo): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ops-bench-'));
  undo.add(() => rm(path, { recursive: true, force: true }));
  return path;
}

const launcher = join(import.meta.dirname, '..', '..', '..', 'packages', 'embedded', 'launcher', 'launch.mjs');

/** In seconds, as the floor. */
async function startAll(undo: Undo, dataDir: string): Promise<number> {
  const own = createUndo();
  undo.add(own.all);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, OPS_DATA_DIR: dataDir, OPS_SEED: 'none', PORT: '0' };
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
  return seconds;
}

async function startFloor(undo: Undo, home: string): Promise<number> {
  const own = createUndo();
  undo.add(own.all);
  const began = performance.now();
  const postgres = await startPostgres({ home, password: 'bench', log: captureLog('bare-postgres') });
  own.add(postgres.stop);
  await Promise.all(Array.from({ length: 5 }, () => startBare(own, 'bare-express')));
  const seconds = (performance.now() - began) / 1000;
  await own.all();
  return seconds;
}
