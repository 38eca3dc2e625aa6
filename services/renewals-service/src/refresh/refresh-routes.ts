import type { PlainDate } from '@ops/contracts/dates';
import { seesInternal } from '@ops/contracts/roles';
import { routes } from '@ops/contracts/routes';
import { forbidden, ProblemError, unprocessable } from '@ops/service-kit/errors';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Logger } from '@ops/service-kit/logger';
import type { Alerts } from '../alert-plan/foresight-service.ts';
import type { Deps } from '../deps.ts';
import * as service from './refresh-service.ts';
import type { Refresher } from './refresh-worker.ts';

export interface RefreshRoutes {
  refresher: Refresher;
  customers: Deps['customers'];
  alerts: Alerts;
  today: () => PlainDate;
  logger: Logger;
  /** A run that takes longer is answered as running. */
  answerMs: number;
}

/** What heals by itself is waited for, so this is a bug; whoever called for the run must not take it for done. */
const failed = (run_id: string) =>
  new ProblemError(500, 'refresh_failed', {
    detail: `Refresh ${run_id} failed; GET ${routes.getRefreshRun.path.replace(':run_id', run_id)} tells why`,
  });

export function mountRefreshRoutes(
  http: HttpApp,
  { refresher, customers, alerts, today, logger, answerMs }: RefreshRoutes,
): void {
  http.work(routes.runRefresh, async ({ db, query, actor, prefersAsync }) => {
    if (query.dry_run) {
      // It names customers and their dates, and whoever sets the hour has no business with those.
      if (!seesInternal(actor)) throw forbidden('A dry run is for staff');
      return { body: await service.toldInFull({ customers, alerts }, await service.preview(db, today(), query)) };
    }
    if (query.as_of !== undefined) throw unprocessable([{ path: 'as_of', message: 'is for a dry run alone' }]);
    const waitMs = prefersAsync ? 0 : answerMs;
    const run = await service.refreshFor({ refresher, logger }, db, { started_by: actor.sub, waitMs });
    if (run.status === 'FAILED') throw failed(run.run_id);
    return { status: run.status === 'RUNNING' ? 202 : 200, body: run };
  });

  http.read(routes.listRefreshRuns, async ({ db, query }) => ({ body: await service.listRuns(db, query) }));

  http.read(routes.getRefreshRun, async ({ db, params }) => ({ body: await service.getRun(db, params.run_id) }));
}
