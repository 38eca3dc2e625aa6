import type pg from 'pg';
import { reasonOf } from '../errors.ts';
import type { Kept } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import { keepClient } from './client.ts';

/**
 * graphile-worker gives a killed worker's jobs to others after four hours. Here each worker pool holds an advisory lock
 * as long as its process lives; the jobs of a pool whose lock is free are freed within seconds. A pool that lost its
 * connection but lives may so have a job delivered twice: the inbox drops the twin. Whoever may do so sees to its own queues alone.
 */
export interface Liveness {
  /** `inHand`: the job it works on, or worked on last. */
  hold(poolId: string, inHand: () => string | undefined): void;
  drop(poolId: string): void;
  problem(): string | undefined;
  close(): Promise<void>;
}

/**
 * The lock is tried, not looked up, so that two reapers do not do the same. A job taken since the last round is left
 * alone: its pool may be so new that it does not hold its lock yet.
 */
const reapSql = `
  WITH holders AS MATERIALIZED (
    SELECT DISTINCT locked_by
      FROM bus._private_jobs
     WHERE locked_at < now() - $1 * interval '1 millisecond' AND locked_by <> ALL($2::text[])
  ), dead AS MATERIALIZED (
    SELECT locked_by FROM holders WHERE pg_try_advisory_xact_lock(hashtextextended('bus:' || locked_by, 0))
  ), freed AS (
    SELECT bus.force_unlock_workers(array_agg(locked_by)) FROM dead
  )
  SELECT ARRAY(SELECT locked_by FROM dead) AS pools FROM freed`;

/**
 * Jobs that a pool of ours was given and never heard of: the connection was lost, or the answer late, when they were locked for it
 * already. As long as an answer may take, they are left alone.
 */
const unheardSql = `
  UPDATE bus._private_jobs SET locked_by = NULL, locked_at = NULL
   WHERE locked_by = ANY($2::text[]) AND locked_at < now() - $1 * interval '1 millisecond' AND id <> ALL($3::bigint[])`;

export interface LivenessOptions {
  config: pg.ClientConfig;
  reapMs: number;
  /** Longer than the answer to a pool that asks for a job may take. */
  unheardMs?: number;
  logger: BusLogger;
}

export function keepLiveness({ config, reapMs, unheardMs = 20_000, logger }: LivenessOptions): Liveness {
  const pools = new Map<string, () => string | undefined>();
  /** Pools whose locks the present session holds. */
  let locked = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  const kept: Kept<pg.Client> = keepClient({
    name: 'liveness',
    config,
    logger,
    async prepare(client) {
      locked = new Set();
      await lockMissing(client);
    },
  });

  async function lockMissing(client: pg.Client): Promise<void> {
    for (const id of pools.keys()) {
      if (locked.has(id)) continue;
      await client.query("SELECT pg_advisory_lock(hashtextextended('bus:' || $1, 0))", [id]);
      locked.add(id);
    }
  }

  async function reap(client: pg.Client): Promise<void> {
    await lockMissing(client);
    const own = [...pools.keys()];
    const { rows } = await client.query<{ pools: string[] }>(reapSql, [reapMs, own]);
    const dead = rows[0]?.pools ?? [];
    if (dead.length > 0) logger.warn({ pools: dead }, 'messages of a consumer that died are delivered again');
    const inHand = [...pools.values()].flatMap((jobOf) => jobOf() ?? []);
    const unheard = await client.query(unheardSql, [unheardMs, own, inHand]);
    if (unheard.rowCount)
      logger.warn({ jobs: unheard.rowCount }, 'messages that never reached their consumer are delivered again');
  }

  /**
   * Does one work after the other, and none while the connection is away: nothing can be held or reaped then, and
   * `keepClient` brings it back.
   */
  function inTurn(work: (client: pg.Client) => Promise<unknown>): void {
    last = last
      .then(() => (kept.problem() === undefined ? work(kept.current()) : undefined))
      .catch((error) => logger.warn({ reason: reasonOf(error) }, 'liveness of consumers not seen to'));
  }

  const timer = setInterval(() => inTurn(reap), reapMs);
  return {
    hold(poolId, inHand) {
      pools.set(poolId, inHand);
      inTurn(lockMissing);
    },
    drop(poolId) {
      pools.delete(poolId);
      inTurn(async (client) => {
        if (!locked.delete(poolId)) return;
        await client.query("SELECT pg_advisory_unlock(hashtextextended('bus:' || $1, 0))", [poolId]);
      });
    },
    problem: kept.problem,
    async close() {
      clearInterval(timer);
      await last;
      await kept.close();
    },
  };
}
