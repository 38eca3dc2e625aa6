import { Gauge, type Registry } from 'prom-client';
import { type Db, rows } from '../database/database.ts';
import type { Logger } from '../observing/logger.ts';
import { every, type Job } from '../process/every.ts';
import { type Ask, chainStart, faultAtEnd, headOf, holds, type Link, walkOn } from './chain.ts';

/** What a process finds of the chain while it runs. */
export interface ChainWatch {
  /** One portion of a round over all rows, and whether the chain still goes through where it ended at the turn before. */
  turn(): Promise<void>;
  fault(): string | undefined;
}

/** While it looks at a thousand a process answers nobody for some 30 ms. */
const aLittle = 200;

/**
 * Goes round the whole chain for as long as the process lives, a little at a time. What it remembers is out of reach for whoever
 * owns the database: an end that was cut off, or a chain written anew, is noticed by that.
 */
export function watchChain(db: Db, logger: Logger, portion = aLittle): ChainWatch {
  const ask: Ask = (sql) => rows(db, sql);
  let seen: Link = chainStart;
  let cut: string | undefined;
  let at: Link = chainStart;
  let found: string | undefined;
  const remember = async () => {
    const head = await headOf(ask);
    cut ??= head.seq >= seen.seq && (await holds(ask, seen)) ? undefined : `seal ${seen.seq} was there and is gone`;
    if (cut === undefined) seen = head;
  };
  const goRound = async () => {
    const part = await walkOn(ask, at, portion);
    const isOver = part.fault !== undefined || part.at.seq === at.seq;
    at = isOver ? chainStart : part.at;
    if (isOver) found = part.fault ?? (await faultAtEnd(ask));
  };
  return {
    fault: () => cut ?? found,
    turn: async () => {
      await remember();
      await goRound();
      const fault = cut ?? found;
      if (fault !== undefined)
        logger.error({ audit: 'chain', fault }, 'what was written of who changed what is not whole');
    },
  };
}

const everyMs = 2_000;

/** 1 when something is not as it was written. */
export function startChainWatch(db: Db, registry: Registry, logger: Logger): Job {
  const watch = watchChain(db, logger);
  new Gauge({
    name: 'audit_chain_broken',
    help: 'Whether the chain over who changed what shows that something was changed or taken away',
    registers: [registry],
    collect() {
      this.set(watch.fault() === undefined ? 0 : 1);
    },
  });
  return every(everyMs, watch.turn, logger, { atOnce: true });
}
