import { setTimeout as pause } from 'node:timers/promises';
import type { PlainDate } from '@ops/contracts/dates';
import type { Page } from '@ops/contracts/pagination';
import type { RefreshPreview, RefreshRun, RefreshRunDetail, RefreshRunsQuery } from '@ops/contracts/resources/refresh';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import type { Logger } from '@ops/service-kit/logger';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { type Alerts, foreseenAlerts } from '../alert-plan/foresight-service.ts';
import { outreachPlan } from '../alert-plan/plan-service.ts';
import { namesOf } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { countDue } from './batch-store.ts';
import { awaitedIn, type ForeseenLine, foresee } from './foresight.rules.ts';
import { countWouldFire, listForeseen } from './foresight-store.ts';
import { dateOf, type Refresher, type Start } from './refresh-worker.ts';
import * as store from './run-store.ts';

/** The finished run, or as far as it came when this process had to stop: the next one goes on. */
export async function refresh(refresher: Refresher, start: Start): Promise<store.StoredRun | undefined> {
  const begun = await refresher.begin(start);
  return begun && finish(refresher, begun, start);
}

/** Finishes a run. One that the new day's took the place of, because midnight passed, is answered by that one. */
async function finish(refresher: Refresher, { run_id }: store.StoredRun, start: Start): Promise<store.StoredRun> {
  const run = await refresher.finish(run_id);
  return run.status === 'ABANDONED' ? ((await refresh(refresher, start)) ?? run) : run;
}

/** The finished run; or the one that goes on, when it takes longer than somebody waits for it. */
export async function refreshFor(
  { refresher, logger }: { refresher: Refresher; logger: Logger },
  db: Db,
  { started_by, waitMs }: { started_by: string; waitMs: number },
): Promise<RefreshRun> {
  const begun = await refresher.begin({ started_by });
  if (!begun) throw new Error('a refresh that somebody asks for always begins');
  const finished = finish(refresher, begun, { started_by });
  finished.catch((error: unknown) => logger.warn({ err: error }, 'a refresh broke off and will be gone on with'));
  if (waitMs === 0) return withRemaining(db, begun);
  const run = await Promise.race([finished, pause(waitMs, undefined, { ref: false })]);
  return withRemaining(db, run ?? ((await store.findRun(db, begun.run_id)) as store.StoredRun));
}

async function withRemaining(db: Db, run: store.StoredRun): Promise<RefreshRun> {
  return { ...run, remaining: run.status === 'RUNNING' ? await countDue(db, run) : null };
}

/** Goes on with a run that was left unfinished, if nobody was heard of it since; one that ends meanwhile needs no other. */
export async function resume(refresher: Refresher, db: Db, quietSince?: Date): Promise<void> {
  const run = await store.findUnfinished(db);
  if (!run || (quietSince && new Date(run.updated_at) > quietSince)) return;
  await refresh(refresher, { started_by: run.started_by, onlyIfMissed: true });
}

/** Whether the newest run failed. Whoever called for it may have had the answer that it goes on, and asks no more. */
export async function hasFailed(db: Db): Promise<boolean> {
  return (await store.lastFailure(db)) !== undefined;
}

/** Null: none was finished yet. */
export const lastRefreshed = (db: Db): Promise<PlainDate | null> => store.readRefreshed(db);

/** The date since which nights count as missed: before the first refresh, the day of the first renewal, looked for among all. */
export async function lastNight(db: Db): Promise<PlainDate | null> {
  return (await store.readRefreshed(db)) ?? (await store.firstDay(db));
}

export async function getRun(db: Db, run_id: string): Promise<RefreshRunDetail> {
  const run = await store.findRun(db, run_id);
  if (!run) throw notFound('There is no such refresh');
  return { ...(await withRemaining(db, run)), set_aside: await store.listSetAside(db, run_id) };
}

export async function listRuns(db: Db, query: RefreshRunsQuery): Promise<Page<RefreshRun>> {
  const position = decodeCursor(query.cursor, ['uuid']);
  const rows = await store.listRuns(db, { after: position?.[0], status: query.status }, query.limit + 1);
  const page = toPage(rows, query.limit, ({ run_id }) => [run_id]);
  return { ...page, data: await Promise.all(page.data.map((run) => withRemaining(db, run))) };
}

type Preview = Omit<RefreshPreview, 'data'> & { data: ForeseenLine[] };

/** Adds to each line the customer's name, and when what is written leaves. */
export async function toldInFull(
  deps: Pick<Deps, 'customers'> & { alerts: Alerts },
  given: Preview,
): Promise<RefreshPreview> {
  const awaited = given.data.map((line) => awaitedIn(line, given.as_of));
  const [names, foreseen] = await Promise.all([namesOf(deps, given.data), foreseenAlerts(deps.alerts, awaited)]);
  const data = given.data.map(({ reminders: _, ...line }, n) => ({
    ...line,
    customer_name: names.get(line.customer_id) ?? null,
    leaves: foreseen?.[n]?.[0]?.leaves ?? null,
  }));
  return { ...given, data };
}

/** What a refresh of that day would do, and why not more; without a day, the refresh that could be run now. */
export async function preview(
  db: Db,
  today: PlainDate,
  query: { as_of?: PlainDate | undefined; limit: number; cursor?: string | undefined },
): Promise<Preview> {
  const as_of = query.as_of ?? dateOf(today, await store.readRefreshed(db));
  const after = decodeCursor(query.cursor, ['number', 'date', 'uuid']);
  const rows = await listForeseen(db, as_of, after, query.limit + 1);
  const page = toPage(rows, query.limit, ({ waits, due_date, id }) => [waits, due_date, id]);
  const plan = await outreachPlan(db);
  const data = page.data.map((renewal) => foresee(renewal, as_of, plan));
  return { ...page, data, as_of, dry_run: true, would_fire: await countWouldFire(db, as_of) };
}
