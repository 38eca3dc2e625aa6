import type { Outbox } from '@ops/bus/outbox';
import { newTrace } from '@ops/bus/trace';
import type { Trx } from '@ops/service-kit/database';
import { isDatabaseUnavailable } from '@ops/service-kit/database-errors';
import { batchWhile } from '@ops/service-kit/giving-way';
import { InternalCallError } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';
import type { ImportKind } from './import.ts';
import * as store from './import-store.ts';

/** What the batches of imports of one kind are worked off with. */
export interface Importing<Row> {
  kind: ImportKind<Row>;
  outbox: Outbox;
  logger: Logger;
  now: () => Date;
  /** Whether people are being served. */
  isBusy: () => boolean;
  /** Most rows of one transaction. */
  batch?: number;
}

/** One question about customers may name so many. */
const mostAtOnce = 200;

export const batchOf = <Row>({ batch = mostAtOnce, isBusy }: Importing<Row>): number => batchWhile(isBusy(), batch);

/** Asks for the next batch, in the transaction after which there is one. Each is a trace of its own, for there may be thousands. */
export async function goOn<Row>({ kind, outbox }: Importing<Row>, trx: Trx, import_id: string): Promise<void> {
  await outbox.add(trx, { type: kind.continues, data: { import_id }, trace: newTrace() });
}

/** Ends an import. Its file goes; what became of it and of its rows stays. */
export async function end<Row>(
  { now }: Importing<Row>,
  trx: Trx,
  id: string,
  what: { status: 'COMPLETED' } | { status: 'FAILED'; failure: string },
): Promise<void> {
  const finished_at = now();
  await store.changeImport(trx, id, { ...what, finished_at, updated_at: finished_at });
  await store.forgetFile(trx, id);
}

/** Is nobody's fault and may be over the next time: the database, or another service, is away. */
export const mayHeal = (error: unknown): boolean => error instanceof InternalCallError || isDatabaseUnavailable(error);
