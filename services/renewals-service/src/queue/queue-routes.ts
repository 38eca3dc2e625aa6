import { internalRoutes } from '@ops/contracts/internal-routes';
import type { RenewalSummaryQuery } from '@ops/contracts/resources/renewal';
import { routes } from '@ops/contracts/routes';
import type { Db } from '@ops/service-kit/database';
import type { HttpApp } from '@ops/service-kit/http-app';
import { oneAtATime } from '@ops/service-kit/one-at-a-time';
import type { ForeseeingDeps } from './coming-service.ts';
import * as queue from './queue-service.ts';

export function mountQueueRoutes(http: HttpApp, deps: ForeseeingDeps): void {
  http.read(routes.listRenewals, async ({ db, query }) => ({ body: await queue.listRenewals(deps, db, query) }));

  // It reads the whole table, and during a refresh every screen asks for it each second.
  const summary = oneAtATime(
    ({ db, query }: { db: Db; query: RenewalSummaryQuery }) => queue.summariseRenewals(deps, db, query),
    ({ query }) => query.assigned_agent,
  );
  http.read(routes.summariseRenewals, async ({ db, query }) => ({ body: await summary({ db, query }) }));

  http.read(routes.listCustomerRenewals, async ({ db, params, query }) => ({
    body: await queue.listCustomerRenewals(deps, db, params.id, query),
  }));

  http.internal(internalRoutes.readNextRenewals, async ({ db, body }) => ({
    body: { data: await queue.nextRenewals(db, body.customer_ids) },
  }));

  http.read(routes.getRenewal, async ({ db, params }) => {
    const body = await queue.showRenewal(deps, db, params.renewal_id);
    return { body, etag: String(body.version) };
  });
}
