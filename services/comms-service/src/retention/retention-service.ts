import type { RetentionOrder, RetentionOutcome } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { PutRetention, RetentionPlace, RetentionPolicy, RetentionRun } from '@ops/contracts/resources/retention';
import type { Actor } from '@ops/contracts/roles';
import type { ServiceName } from '@ops/contracts/routes';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { conflict } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { addUp, changedDays, orderOf, outcomeOf, type Share } from './retention.rules.ts';
import * as store from './retention-store.ts';

/** Who holds something that has its time: this service itself, and every other one. */
export interface Holder {
  service: ServiceName;
  apply(order: RetentionOrder): Promise<RetentionOutcome>;
}

export interface RetentionDeps {
  holders: readonly Holder[];
  logger: Logger;
  now: () => Date;
}

export const getPolicy = store.readPolicy;

const subject = { kind: 'retention', id: 'retention' } as const;

export async function putPolicy(
  { now }: Pick<RetentionDeps, 'now'>,
  trx: Trx,
  { keep_days }: PutRetention,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<RetentionPolicy> {
  const policy = await store.lockPolicy(trx);
  requireMatch(ifMatch, policy.version);
  const changed = changedDays(policy.keep_days, keep_days);
  if (!changed) return policy;
  const version = policy.version + 1;
  const before = policy.keep_days;
  await audit(trx, { subject, before, after: changed });
  return store.savePolicy(trx, { keep_days: changed, version, updated_at: now(), updated_by: actor.sub });
}

export const historyOfPolicy = (db: Db, query: HistoryQuery) => historyOf(db, subject, query);

export async function runOnRequest(deps: RetentionDeps, trx: Trx, dry_run: boolean, actor: Actor) {
  if (!dry_run && !(await store.holdRuns(trx))) throw conflict('A retention run is under way');
  return run(deps, trx, { dry_run, started_by: actor.sub, slot: null });
}

/** Of several replicas one runs at a time of day; undefined: this is not the one. */
export async function runNightly(deps: RetentionDeps, trx: Trx, slot: Date): Promise<RetentionRun | undefined> {
  if (!(await store.holdRuns(trx)) || (await store.isSlotTaken(trx, slot))) return undefined;
  return run(deps, trx, { dry_run: false, started_by: null, slot });
}

export async function listRuns(
  db: Db,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<RetentionRun>> {
  const position = decodeCursor(query.cursor, ['uuid']);
  const rows = await store.listRuns(db, position?.[0], query.limit + 1);
  return toPage(rows, query.limit, ({ id }) => [id]);
}

/**
 * The transaction holds the lock and at the end the record of the run. What is removed is removed in others, portion
 * by portion: should this one break off, what it did is done, and the next run goes on from there.
 */
async function run(
  deps: RetentionDeps,
  trx: Trx,
  asked: Pick<store.NewRun, 'dry_run' | 'started_by' | 'slot'>,
): Promise<RetentionRun> {
  const as_of = deps.now();
  const { keep_days } = await store.readPolicy(trx);
  const order = orderOf(keep_days, asked.dry_run, as_of);
  const shares: Share[] = [];
  for (const holder of deps.holders) shares.push(await shareOf(holder, order, trx, deps.logger));
  return store.insertRun(trx, { id: uuidv7(), ...asked, as_of, ...outcomeOf(shares), finished_at: deps.now() });
}

async function shareOf(holder: Holder, order: RetentionOrder, trx: Trx, logger: Logger): Promise<Share> {
  const told: RetentionPlace[] = [];
  try {
    for (let complete = false; !complete; await store.stayAwake(trx)) {
      const outcome = await holder.apply(order);
      told.push(...outcome.places);
      complete = outcome.complete;
    }
    return { places: addUp(told), failure: null };
  } catch (error) {
    logger.warn(
      { err: error, service: holder.service },
      'a retention run lacks a service; the next one makes up for it',
    );
    return { places: addUp(told), failure: reasonFor(holder, error) };
  }
}

/** The reason as it is shown. Of an error of our own nothing is: it may quote what it failed on. */
const reasonFor = ({ service }: Holder, error: unknown): string =>
  error instanceof InternalCallError ? error.message : `${service} could not do its part`;
