import { isNativeError } from 'node:util/types';
import type { NewEvent, Outbox } from '@ops/bus/outbox';
import { ownTrace, type Span } from '@ops/bus/spans';
import type { EventData } from '@ops/contracts/events';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { isDatabaseUnavailable } from '@ops/service-kit/database-errors';
import type { Logger } from '@ops/service-kit/logger';
import { v7 as uuidv7 } from 'uuid';
import { ZodError } from 'zod';
import { outreachPlan } from '../alert-plan/plan-service.ts';
import { takeUpAgain } from '../renewals/watch-service.ts';
import * as batches from './batch-store.ts';
import { addUp, countsOf, nothingYet, type Treatment, treat } from './refresh.rules.ts';
import { eventsOf, isAlert } from './refresh-events.ts';
import * as runs from './run-store.ts';

export interface BatchDeps {
  db: Db;
  outbox: Outbox;
  now: () => Date;
  logger: Logger;
}

/**
 * Ledger, status, flags, events, what is next and what was counted: one transaction, which holds the run, so that
 * whoever else is running it waits its turn and then finds these done.
 *
 * What fails is halved until the row at fault stands alone. Only what may heal, a lock that took too long or a
 * database that is away, is no row's fault: it is the caller's to try again.
 */
export async function treatAll(deps: BatchDeps, run_id: string, ids: string[]): Promise<void> {
  try {
    const alerts = await inTransaction(deps.db, (trx) => treatBatch(deps, trx, run_id, ids));
    for (const span of alerts) span.end();
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const [only, ...others] = ids;
    if (only === undefined || others.length === 0) return setAside(deps, run_id, only, error);
    const half = Math.ceil(ids.length / 2);
    await treatAll(deps, run_id, ids.slice(0, half));
    await treatAll(deps, run_id, ids.slice(half));
  }
}

/** Answers the spans of the alerts it fired, which are to be ended once that is committed. */
async function treatBatch(deps: BatchDeps, trx: Trx, run_id: string, ids: string[]): Promise<Span[]> {
  const run = await runs.lockRunning(trx, run_id);
  if (!run) return [];
  const due = await batches.lockDue(trx, run.as_of, ids);
  if (due.length === 0) return [];
  const plan = await outreachPlan(trx);
  const treatments = due.map((renewal) => treat(renewal, run.as_of, plan));
  const now = deps.now();
  await takeUpAgain(
    trx,
    due.filter(({ silenced }) => silenced).map(({ id }) => id),
  );
  await batches.recordAlerts(trx, run_id, treatments, now);
  await batches.moveOn(trx, treatments, now);
  await batches.raiseFlags(trx, treatments.filter(({ becomesOverdue }) => becomesOverdue).map(flagOf), now);
  const alerts: Span[] = [];
  const told = eventsOf(treatments, run_id, now);
  await deps.outbox.addMany(
    trx,
    told.map((event) => traced(event, alerts)),
  );
  await runs.addAlerts(trx, run_id, told.filter(isAlert).length);
  await runs.saveCounts(trx, run_id, addUp(run.counts, countsOf(treatments)), now);
  return alerts;
}

/** Each alert is a trace of its own, from here to the customer's phone. */
function traced(event: NewEvent, alerts: Span[]): NewEvent {
  if (!isAlert(event)) return event;
  const { rung, renewal_id } = event.data as EventData<'RENEWAL_TRIGGERED' | 'renewal.outreach'>;
  const own = ownTrace(`alert ${rung}`, { renewal_id });
  if (own) alerts.push(own.span);
  return { ...event, trace: own?.trace };
}

const flagOf = ({ renewal: { id, customer_id, due_date } }: Treatment): batches.NewFlag => ({
  id: uuidv7(),
  renewal_id: id,
  customer_id,
  due_date,
});

async function setAside(deps: BatchDeps, run_id: string, id: string | undefined, error: unknown): Promise<void> {
  if (id === undefined) throw error;
  deps.logger.warn(
    { err: error, run_id, renewal_id: id },
    'a renewal could not be refreshed; the next run tries again',
  );
  await inTransaction(deps.db, async (trx) => {
    const run = await runs.lockRunning(trx, run_id);
    if (!run || !(await runs.insertSetAside(trx, run_id, id, faultOf(error)))) return;
    await runs.saveCounts(trx, run_id, addUp(run.counts, { ...nothingYet, looked_at: 1, set_aside: 1 }), deps.now());
  });
}

const longestReason = 500;

/** Which field, or what the database says of it; not the statement it failed in. */
export function faultOf(error: unknown): string {
  const text =
    error instanceof ZodError
      ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
      : isNativeError(error)
        ? error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, '')
        : String(error);
  return text.slice(0, longestReason);
}
