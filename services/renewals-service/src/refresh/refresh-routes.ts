import type { RefreshRun } from '@ops/contracts/resources/refresh';
import { routes } from '@ops/contracts/routes';
import type { Db } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Logger } from '@ops/service-kit/logger';
import type { PlainDate } from '../dates.ts';
import * as service from './refresh-service.ts';
import type { Refresher } from './refresher.ts';
import type { StoredRun } from './run-store.ts';

export interface RefreshRoutes {
  refresher: Refresher;
  today: () => PlainDate;
  logger: Logger;
}

export function mountRefreshRoutes(http: HttpApp, { refresher, today, logger }: RefreshRoutes): void {
  http.work(routes.runRefresh, async ({ db, query, actor, prefersAsync }) => {
    if (query.dry_run) return { body: await service.preview(db, today(), query) };
    if (query.as_of !== undefined) throw unprocessable([{ path: 'as_of', message: 'is for a dry run alone' }]);
    const start = { started_by: actor.sub };
    return prefersAsync ? begun(db, await inBackground(start)) : begun(db, await service.refresh(refresher, start));
  });

  http.read(routes.listRefreshRuns, async ({ db, query }) => ({ body: await service.listRuns(db, query) }));

  http.read(routes.getRefreshRun, async ({ db, params }) => ({ body: await service.getRun(db, params.run_id) }));

  async function inBackground(start: { started_by: string }): Promise<StoredRun | undefined> {
    const run = await refresher.begin(start);
    if (run)
      refresher
        .finish(run.run_id)
        .catch((error: unknown) => logger.warn({ err: error }, 'a refresh broke off and will be gone on with'));
    return run;
  }
}

/** One that this process had to leave to the next is told as under way. */
async function begun(db: Db, run: StoredRun | undefined): Promise<{ status: 200 | 202; body: RefreshRun }> {
  if (!run) throw new Error('a refresh that somebody asks for always begins');
  return { status: run.status === 'RUNNING' ? 202 : 200, body: await service.withRemaining(db, run) };
}
