import type { Random } from '@ops/test-kit/random';
import { type Db, openDatabase } from '../src/database/database.ts';
import { beforeEachStatement } from './statements.ts';

/** What they work on. */
interface World {
  db: Db;
  databaseUrl: string;
}

export type Work = (db: Db) => Promise<unknown>;

interface Worker {
  name: string;
  outcome: Promise<unknown>;
  /** Sends the statement it has ready; undefined: it is at work on one, or over. */
  goOn: (() => void) | undefined;
  over: boolean;
}

/**
 * Two at once, each over a connection of its own, and one statement after the other. Whose is drawn, so that the same
 * draws give the same course; who waits for a lock is passed over until it is free. Of more than two it would be
 * Postgres that chose: when a row is let go, any of those who wait for it comes first.
 */
export async function inTurns(world: World, random: Random, works: [Work, Work]): Promise<void> {
  let moves = 0;
  const workers = works.map((work, n) => startWorker(world, `worker ${n}`, work, () => moves++));
  const outcomes = Promise.allSettled(workers.map(({ outcome }) => outcome));
  const isOver = () => workers.every(({ over }) => over);
  while (!isOver()) {
    await untilAtRest(workers, world.db, () => moves);
    if (!isOver()) random.pick(workers.filter(({ goOn }) => goOn)).goOn?.();
  }
  for (const outcome of await outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

function startWorker({ databaseUrl }: World, name: string, work: Work, moved: () => void): Worker {
  const db = openDatabase(databaseUrl, { applicationName: name, max: 1 });
  const worker: Worker = { name, goOn: undefined, over: false, outcome: Promise.resolve() };
  const turn = (resolve: () => void) => {
    worker.goOn = () => {
      worker.goOn = undefined;
      resolve();
    };
    moved();
  };
  beforeEachStatement(db, () => new Promise(turn));
  worker.outcome = work(db).finally(() => {
    worker.over = true;
    moved();
    return db.destroy();
  });
  return worker;
}

/** Each has a statement ready, or waits for a lock; one at least is ready, or all are over. */
async function untilAtRest(workers: Worker[], observer: Db, moves: () => number): Promise<void> {
  const isAtRest = (waiting: string[]) => {
    const working = workers.filter(({ over }) => !over);
    const canMove = working.length === 0 || working.some(({ goOn }) => goOn);
    return canMove && working.every(({ name, goOn }) => goOn || waiting.includes(name));
  };
  while (!isAtRest([])) {
    const before = moves();
    const waiting = await waitingForLocks(observer);
    // What was read while somebody moved may be over already.
    if (before === moves() && isAtRest(waiting)) return;
  }
}

async function waitingForLocks(observer: Db): Promise<string[]> {
  const { rows } = await observer.raw(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE NOT l.granted AND a.datname = current_database()`,
  );
  return rows.map(({ name }: { name: string }) => name);
}
