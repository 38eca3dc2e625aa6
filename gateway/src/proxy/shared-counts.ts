import { createHmac } from 'node:crypto';
import { type Db, execute, rows } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import type { Store } from 'express-rate-limit';

/** How often who asked within a minute: known here at once, and of all gateways together within a second. */
export interface SharedCounts {
  /** Of one limit, which is about so many; another limit counts the same person apart. */
  of(limit: string, most: number): Store;
  /** Tells the others, and hears of them; begun by itself once a second. */
  settle(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

export interface SharedCountsOptions {
  db: Db;
  logger: Logger;
  /** Of all gateways: what is kept tells nobody who does not have it whom it is about. */
  secret: string;
}

interface Count {
  key: string;
  hits: number;
  /** Of these, what the others have not heard of. */
  untold: number;
  endsAt: number;
}

export const windowMs = 60_000;
const settledEveryMs = 1_000;
const tidiedEveryMs = 60_000;
const mostSettled = 1_000;

/** No request costs a statement, nor waits for one: while the database is away each gateway counts for itself. */
export function createSharedCounts({ db, logger, secret }: SharedCountsOptions): SharedCounts {
  const counts = new Map<string, Count>();
  const due = new Set<Count>();
  const current = (key: string): Count => {
    const known = counts.get(key);
    if (known && isOn(known)) return known;
    const fresh = { key, hits: 0, untold: 0, endsAt: Date.now() + windowMs };
    counts.set(key, fresh);
    return fresh;
  };
  const settle = async () => {
    const told = [...due].slice(0, mostSettled);
    for (const count of told) due.delete(count);
    await tellAndHear(db, secret, told.filter(isOn)).catch((error: unknown) => {
      for (const count of told) due.add(count);
      throw error;
    });
  };
  const tidy = async () => {
    for (const [key, count] of counts) if (!isOn(count)) counts.delete(key);
    await removePast(db);
  };
  const jobs: Job[] = [];
  return {
    of: (limit, most) => ({
      prefix: limit,
      increment(asked) {
        const count = current(`${limit} ${asked}`);
        count.hits += 1;
        count.untold += 1;
        // Who has asked less than a tenth of it at each of ten gateways is below it: a flood from ever other addresses is not told.
        if (count.hits >= most / 10) due.add(count);
        return { totalHits: count.hits, resetTime: new Date(count.endsAt) };
      },
      decrement(asked) {
        const count = current(`${limit} ${asked}`);
        count.hits -= 1;
        count.untold -= 1;
      },
      resetKey: (asked) => void counts.delete(`${limit} ${asked}`),
    }),
    settle,
    start() {
      jobs.push(every(settledEveryMs, settle, logger), every(tidiedEveryMs, tidy, logger));
    },
    stop: async () => void (await Promise.all(jobs.map((job) => job.stop()))),
  };
}

const isOn = ({ endsAt }: Count) => endsAt > Date.now();

interface Sum {
  key: string;
  hits: number;
  ms_left: number;
}

async function tellAndHear(db: Db, secret: string, counts: Count[]): Promise<void> {
  if (counts.length === 0) return;
  const nameless = (key: string) => createHmac('sha256', secret).update(key).digest('base64url');
  const told = new Map(counts.map((count) => [nameless(count.key), { count, hits: count.untold }]));
  for (const { count } of told.values()) count.untold = 0;
  const sums = await addUp(db, told).catch((error: unknown) => {
    for (const { count, hits } of told.values()) count.untold += hits;
    throw error;
  });
  for (const { key, hits, ms_left } of sums) {
    const count = told.get(key)?.count;
    if (count) Object.assign(count, { hits: hits + count.untold, endsAt: Date.now() + ms_left });
  }
}

/** In the order of their keys, as any other gateway, or two would wait for each other. */
const addUp = (db: Db, told: Map<string, { count: Count; hits: number }>): Promise<Sum[]> =>
  rows<Sum>(
    db,
    `INSERT INTO limits AS known (key, hits, ends_at)
     SELECT key, hits, now() + make_interval(secs => ms_left / 1000.0)
     FROM unnest(CAST(:keys AS text[]), CAST(:hits AS int[]), CAST(:left AS int[])) AS told (key, hits, ms_left)
     ORDER BY key
     ON CONFLICT (key) DO UPDATE SET
       hits = excluded.hits + CASE WHEN known.ends_at > now() THEN known.hits ELSE 0 END,
       ends_at = CASE WHEN known.ends_at > now() THEN known.ends_at ELSE excluded.ends_at END
     RETURNING key, hits, CAST(extract(epoch FROM ends_at - now()) * 1000 AS int) AS ms_left`,
    {
      keys: [...told.keys()],
      hits: [...told.values()].map(({ hits }) => hits),
      left: [...told.values()].map(({ count }) => Math.max(0, count.endsAt - Date.now())),
    },
  );

const removePast = (db: Db): Promise<unknown> =>
  execute(
    db,
    'DELETE FROM limits WHERE key IN (SELECT key FROM limits WHERE ends_at < now() ORDER BY key FOR UPDATE SKIP LOCKED)',
  );
