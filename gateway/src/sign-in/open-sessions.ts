import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { endingsSince, isOpen, noteUse, tidySessions } from './session-store.ts';

export interface OpenSessionsOptions {
  db: Db;
  logger: Logger;
  idleMinutes: number;
  /** Hears of each one that is over, whoever ended it and at whichever gateway. */
  onEnd(id: string): void;
}

/** Which sessions count, as every gateway of the system knows within a second. */
export interface OpenSessions {
  /** `isUse`: the person is there, rather than a page that was left open. */
  has(id: string, isUse: boolean): Promise<boolean>;
  add(id: string): void;
  /** Ended here; the others hear of it. */
  remove(id: string): void;
  start(): void;
  stop(): Promise<void>;
}

const useWrittenEveryMs = 60_000;
const heardEveryMs = 1_000;
const tidiedEveryMs = 60_000;

/**
 * Remembers what it asked the database once, and hears of endings. While the database is away who is signed in goes on; who
 * is not known here has to wait.
 */
export function createOpenSessions({ db, logger, idleMinutes, onEnd }: OpenSessionsOptions): OpenSessions {
  /** When the last use of each was written. */
  const known = new Map<string, number>();
  let heardUntil: string | null = null;
  const remove = (id: string) => {
    if (known.delete(id)) onEnd(id);
  };
  const jobs: Job[] = [];

  const hear = async () => {
    if (known.size === 0) return;
    const { ids, until } = await endingsSince(db, heardUntil);
    for (const id of ids) remove(id);
    heardUntil = until;
  };
  /** Aside: nobody waits for it, above all not while the database is away. */
  const writeUse = (id: string) => {
    known.set(id, Date.now());
    noteUse(db, id, idleMinutes).then(
      (isStill) => isStill || remove(id),
      (error: unknown) => logger.warn({ err: error }, 'the use of a session could not be noted'),
    );
  };

  return {
    async has(id, isUse) {
      const written = known.get(id);
      if (written === undefined) {
        const found = await (isUse ? noteUse : isOpen)(db, id, idleMinutes);
        if (found) known.set(id, isUse ? Date.now() : 0);
        return found;
      }
      if (isUse && written + useWrittenEveryMs <= Date.now()) writeUse(id);
      return true;
    },
    add: (id) => void known.set(id, Date.now()),
    remove,
    start() {
      jobs.push(
        every(heardEveryMs, hear, logger),
        every(tidiedEveryMs, () => tidySessions(db, idleMinutes), logger),
      );
    },
    stop: async () => void (await Promise.all(jobs.map((job) => job.stop()))),
  };
}
