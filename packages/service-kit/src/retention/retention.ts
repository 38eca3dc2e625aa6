import { internalRoutes, type RetentionOrder, type RetentionOutcome } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { type Db, inTransaction, oneRow, rows, type Trx } from '../database/database.ts';
import type { HttpApp } from '../http/http-app.ts';

/** A table, or part of one, where something lies that is kept for a set time only. */
export interface RetentionPlace {
  name: string;
  /** What is past its time. What a dry run counts by it is what a run removes by it. */
  overdue(order: RetentionOrder): Overdue;
  /** Deletes these, or empties them, so that they are no longer overdue; they are locked in this transaction. */
  remove(trx: Trx, ids: string[]): Promise<void>;
  /** How many are removed in one transaction; 500 unless said. */
  portion?: number;
}

export interface Overdue {
  /** Selects `id` as text; every table of its FROM is locked. */
  sql: string;
  bindings: Record<string, string | string[]>;
}

/** One service's share of a retention run. */
export interface Retention {
  apply(order: RetentionOrder): Promise<RetentionOutcome>;
}

export interface RetentionOptions {
  service: ServiceName;
  db: Db;
  places: readonly RetentionPlace[];
  /** A call ends after so many and says that there is more, so that nobody waits for it in vain. */
  mostPortions?: number;
}

export function createRetention({ service, db, places, mostPortions = 4 }: RetentionOptions): Retention {
  return {
    async apply(order) {
      const budget = { portions: mostPortions };
      const rowsOf = (place: RetentionPlace) =>
        order.dry_run ? countOverdue(db, place, order) : removeOverdue(db, place, order, budget);
      const found = await inTurn(places, async (place) => ({ service, place: place.name, rows: await rowsOf(place) }));
      return { places: found, complete: budget.portions > 0 };
    },
  };
}

export function mountRetention(http: HttpApp, retention: Retention): void {
  http.internal(internalRoutes.applyRetention, async ({ body }) => ({ body: await retention.apply(body) }));
}

/** A place that fails holds none of the others up; its error is told when they are done. */
async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  for (const one of all)
    await work(one).then(
      (result) => results.push(result),
      (error) => errors.push(error),
    );
  if (errors.length > 0) throw errors[0];
  return results;
}

async function countOverdue(db: Db, place: RetentionPlace, order: RetentionOrder): Promise<number> {
  const { sql, bindings } = place.overdue(order);
  const { overdue } = await oneRow<{ overdue: number }>(
    db,
    `SELECT count(*)::int AS overdue FROM (${sql}) found`,
    bindings,
  );
  return overdue;
}

async function removeOverdue(db: Db, place: RetentionPlace, order: RetentionOrder, budget: { portions: number }) {
  const portion = place.portion ?? 500;
  let all = 0;
  while (budget.portions > 0) {
    const removed = await inTransaction(db, (trx) => removePortion(trx, place, order, portion));
    all += removed;
    if (removed < portion) break;
    budget.portions -= 1;
  }
  return all;
}

/** What somebody else is changing at the moment is left to the next run: nobody waits for this one. */
async function removePortion(trx: Trx, place: RetentionPlace, order: RetentionOrder, portion: number): Promise<number> {
  const { sql, bindings } = place.overdue(order);
  const portioned = `${sql} LIMIT :portion FOR UPDATE SKIP LOCKED`;
  const ids = (await rows<{ id: string }>(trx, portioned, { ...bindings, portion })).map(({ id }) => id);
  if (ids.length > 0) await place.remove(trx, ids);
  return ids.length;
}
