import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as service from './unmatched-service.ts';

export function mountUnmatchedRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.listUnmatched, async ({ db, query }) => ({ body: await service.listUnmatched(deps, db, query) }));

  http.read(routes.getUnmatched, async ({ db, params }) => ({ body: await service.findUnmatched(db, params.id) }));

  http.write(routes.linkUnmatched, async ({ trx, params, body, actor }) => ({
    body: await service.linkUnmatched(deps, trx, params.id, body.customer_id, actor),
  }));

  http.write(routes.dismissUnmatched, async ({ trx, params, actor }) => ({
    body: await service.dismissUnmatched(deps, trx, params.id, actor),
  }));

  http.write(routes.restoreUnmatched, async ({ trx, params, actor }) => ({
    body: await service.restoreUnmatched(deps, trx, params.id, actor),
  }));

  http.write(routes.unlinkUnmatched, async ({ trx, params, actor }) => ({
    body: await service.unlinkUnmatched(deps, trx, params.id, actor),
  }));
}
