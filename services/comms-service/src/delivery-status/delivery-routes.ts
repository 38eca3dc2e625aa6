import { internalRoutes } from '@ops/contracts/internal-routes';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import * as service from './delivery-service.ts';
import { askToSend, askToSendSeveral } from './leaving-service.ts';

export function mountDeliveryRoutes(http: HttpApp, deps: service.DeliveryDeps): void {
  http.write(routes.retryCommunication, async ({ trx, params, actor }) => ({
    body: await service.retryCommunication(deps, trx, params.id, actor),
  }));

  http.write(routes.settleCommunication, async ({ trx, params, body, actor }) => ({
    body: await service.settleOtherwise(deps, trx, params.id, body.note, actor),
  }));

  http.write(routes.patchCommunication, async ({ trx, params, body, actor }) => ({
    body: await service.changeWaiting(deps, trx, params.id, body, actor),
  }));

  http.write(routes.cancelCommunication, async ({ trx, params, actor }) => ({
    body: await service.callBack(deps, trx, params.id, actor),
  }));

  http.write(routes.resolveCommunication, async ({ trx, params, body, actor }) => ({
    body: await service.resolveCommunication(deps, trx, params.id, body.outcome, actor),
  }));

  http.read(routes.listFailedCommunications, async ({ db, query }) => ({
    body: await service.listFailedCommunications(db, query),
  }));

  http.internal(internalRoutes.askToSend, async ({ db, params, query }) => ({
    body: await askToSend(deps, db, params.id, query.attempt),
  }));

  http.internal(internalRoutes.askToSendSeveral, async ({ db, body }) => ({
    body: { data: await askToSendSeveral(deps, db, body.data) },
  }));
}
