import type { Page } from '@ops/contracts/pagination';
import type { RefreshPreview, RefreshRun, RefreshRunDetail } from '@ops/contracts/resources/refresh';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import type { PlainDate } from '../dates.ts';
import { countDue } from './batch-store.ts';
import { foresee } from './foresight.ts';
import { countWouldFire, listForeseen } from './foresight-store.ts';
import { dateOf, type Refresher, type Start } from './refresher.ts';
import * as store from './run-store.ts';

/** The finished run. When midnight passes while it is at work, it is the new day's that counts. */
export async function refresh(refresher: Refresher, start: Start): Promise<store.StoredRun | undefined> {
  const begun = await refresher.begin(start);
  if (!begun) return undefined;
  const run = await refresher.finish(begun.run_id);
  return run.status === 'ABANDONED' ? refresh(refresher, start) : run;
}

/** Undefined: none is unfinished, or somebody is at it. */
export async function resume(refresher: Refresher, db: Db, quietSince?: Date): Promise<void> {
  const run = await store.findUnfinished(db);
  if (!run || (quietSince && new Date(run.updated_at) > quietSince)) return;
  await refresh(refresher, { started_by: run.started_by });
}

export async function withRemaining(db: Db, run: store.StoredRun): Promise<RefreshRun> {
  return { ...run, remaining: run.status === 'RUNNING' ? await countDue(db, run) : null };
}

export async function getRun(db: Db, run_id: string): Promise<RefreshRunDetail> {
  const run = await store.findRun(db, run_id);
  if (!run) throw notFound('There is no such refresh');
  return { ...(await withRemaining(db, run)), set_aside: await store.listSetAside(db, run_id) };
}

export async function listRuns(
  db: Db,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<RefreshRun>> {
  const position = decodeCursor(query.cursor, ['uuid']);
  const rows = await store.listRuns(db, position?.[0], query.limit + 1);
  const page = toPage(rows, query.limit, ({ run_id }) => [run_id]);
  return { ...page, data: await Promise.all(page.data.map((run) => withRemaining(db, run))) };
}

/** What a refresh of that day would do, and why not more; without a day, the refresh that could be run now. */
export async function preview(
  db: Db,
  today: PlainDate,
  query: { as_of?: PlainDate | undefined; limit: number; cursor?: string | undefined },
): Promise<RefreshPreview> {
  const as_of = query.as_of ?? dateOf(today, await store.readRefreshed(db));
  const after = decodeCursor(query.cursor, ['number', 'date', 'uuid']);
  const rows = await listForeseen(db, as_of, after, query.limit + 1);
  const page = toPage(rows, query.limit, ({ waits, due_date, id }) => [waits, due_date, id]);
  const data = page.data.map((renewal) => foresee(renewal, as_of));
  return { ...page, data, as_of, dry_run: true, would_fire: await countWouldFire(db, as_of) };
}
