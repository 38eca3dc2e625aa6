import type { RetentionOrder, RetentionOutcome } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { Proposal, SavedRetention } from '@ops/contracts/resources/proposal';
import type { PutRetention, RetentionPlace, RetentionPolicy, RetentionRun } from '@ops/contracts/resources/retention';
import type { Actor } from '@ops/contracts/roles';
import type { ServiceName } from '@ops/contracts/routes';
import { audit } from '@ops/service-kit/auditing';
import { type Db, stayAwake, type Trx } from '@ops/service-kit/database';
import { conflict } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { idsOnHold, keepHoldsAsTheyAre } from '../legal-hold/legal-hold-service.ts';
import { proposedDays } from '../proposals/proposal.rules.ts';
import { type ProposalDeps, propose } from '../proposals/proposal-service.ts';
import { addUp, changedDays, orderOf, outcomeOf, type Share, sorted, type Wanted } from './retention.rules.ts';
import * as store from './retention-store.ts';

/** Who holds something that has its time: this service itself, and every other one. */
export interface Holder {
  service: ServiceName;
  /** What it must know before it is asked for the first time. */
  prepare?(order: RetentionOrder): Promise<void>;
  apply(order: RetentionOrder): Promise<RetentionOutcome>;
}

export interface RetentionDeps {
  holders: readonly Holder[];
  logger: Logger;
  now: () => Date;
}

export interface PolicyDeps {
  now: () => Date;
  proposing: ProposalDeps;
}

export const getPolicy = store.readPolicy;

const subject = { kind: 'retention', id: 'retention' } as const;

/** What is kept for less long is proposed, and the policy stays as it is until that takes effect. */
export async function putPolicy(
  { now, proposing }: PolicyDeps,
  trx: Trx,
  { keep_days }: PutRetention,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<SavedRetention> {
  const policy = await store.lockPolicy(trx);
  requireMatch(ifMatch, policy.version);
  const { longer, shorter } = sorted(policy.keep_days, keep_days);
  const saved = await change(trx, policy, longer, actor.sub, now());
  const asked = { kind: 'RETENTION', subject_id: 'retention', keep_days: shorter } as const;
  const isShorter = Object.keys(shorter).length > 0;
  return { ...saved, proposal: isShorter ? await propose(proposing, trx, asked, actor) : null };
}

/** What was proposed is so from now on. */
export async function shorten(now: () => Date, trx: Trx, proposal: Proposal): Promise<undefined> {
  const by = proposal.confirmed_by ?? proposal.proposed_by;
  const policy = await store.lockPolicy(trx);
  await change(trx, policy, proposedDays(proposal.keep_days), by, now());
}

async function change(trx: Trx, policy: RetentionPolicy, wanted: Wanted, updated_by: string, updated_at: Date) {
  const changed = changedDays(policy.keep_days, wanted);
  if (!changed) return policy;
  await audit(trx, { subject, before: policy.keep_days, after: changed });
  return store.savePolicy(trx, { keep_days: changed, version: policy.version + 1, updated_at, updated_by });
}

export const historyOfPolicy = (db: Db, query: HistoryQuery) => historyOf(db, subject, query);

export async function runOnRequest(deps: RetentionDeps, trx: Trx, dry_run: boolean, actor: Actor) {
  if (!dry_run && !(await store.holdRuns(trx))) throw conflict('A retention run is under way');
  const done = await run(deps, trx, { dry_run, started_by: actor.sub, slot: null });
  if (!dry_run) await audit(trx, { subject: { kind: 'retention_run', id: done.id }, before: {}, after: { ran: true } });
  return done;
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
  const order = orderOf(keep_days, asked.dry_run, as_of, await holdsFor(trx, asked.dry_run));
  const shares: Share[] = [];
  for (const holder of deps.holders) shares.push(await shareOf(holder, order, trx, deps.logger));
  return store.insertRun(trx, { id: uuidv7(), ...asked, as_of, ...outcomeOf(shares), finished_at: deps.now() });
}

/** Until a run that removes is over nobody comes to be on hold: it would take what it had promised to leave. */
async function holdsFor(trx: Trx, dryRun: boolean): Promise<string[]> {
  if (!dryRun) await keepHoldsAsTheyAre(trx);
  return idsOnHold(trx);
}

async function shareOf(holder: Holder, order: RetentionOrder, trx: Trx, logger: Logger): Promise<Share> {
  const told: RetentionPlace[] = [];
  try {
    await holder.prepare?.(order);
    for (let complete = false; !complete; await stayAwake(trx)) {
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
