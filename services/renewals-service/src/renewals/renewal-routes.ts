import { internalRoutes } from '@ops/contracts/internal-routes';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as completion from './completion-service.ts';
import * as holds from './hold-service.ts';
import * as service from './renewal-service.ts';

const tagged = (body: Renewal) => ({ body, etag: String(body.version) });

export function mountRenewalRoutes(http: HttpApp, deps: Deps): void {
  http.internal(internalRoutes.readRenewalStanding, async ({ db, params }) => ({
    body: await service.standingOf(deps, db, params.id),
  }));

  http.internal(internalRoutes.readRenewalStandings, async ({ db, body }) => ({
    body: { data: await service.standingsOf(deps, db, body.ids) },
  }));

  http.read(routes.listRenewalHistory, async ({ db, params, query }) => ({
    body: await service.historyOfRenewal(db, params.renewal_id, query),
  }));

  http.write(routes.createRenewal, async ({ trx, params, body }) => ({
    body: await service.createRenewal(deps, trx, params.id, body),
  }));

  http.write(routes.patchRenewal, async ({ trx, params, body, ifMatch }) =>
    tagged(await service.patchRenewal(deps, trx, params.renewal_id, body, ifMatch)),
  );

  http.write(routes.startRenewal, async ({ trx, params, ifMatch }) =>
    tagged(await service.startRenewal(deps, trx, params.renewal_id, ifMatch)),
  );

  http.write(routes.acknowledgeRenewal, async ({ trx, params, body, actor, ifMatch }) => {
    const asked = { id: params.renewal_id, input: body, by: actor.sub, ifMatch };
    return tagged(await holds.acknowledgeRenewal(deps, trx, asked));
  });

  http.write(routes.releaseRenewal, async ({ trx, params, ifMatch }) =>
    tagged(await holds.releaseRenewal(deps, trx, params.renewal_id, ifMatch)),
  );

  http.write(routes.completeRenewal, async ({ trx, params, body, ifMatch }) => {
    const completed = await completion.completeRenewal(deps, trx, params.renewal_id, body, ifMatch);
    return { body: completed, etag: String(completed.renewal.version) };
  });

  http.write(routes.cancelRenewal, async ({ trx, params, body = {}, ifMatch }) =>
    tagged(await service.cancelRenewal(deps, trx, params.renewal_id, body, ifMatch)),
  );

  http.write(routes.reopenRenewal, async ({ trx, params, ifMatch }) =>
    tagged(await completion.reopenRenewal(deps, trx, params.renewal_id, ifMatch)),
  );

  http.write(routes.assignRenewals, async ({ trx, body }) => ({
    body: await service.assignRenewals(deps, trx, body),
  }));

  http.write(routes.handOverRenewals, async ({ trx, body, query }) => ({
    body: await service.handOverRenewals(deps, trx, body, query.dry_run),
  }));
}
