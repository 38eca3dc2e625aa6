import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import * as service from './erasure-service.ts';

export function mountErasureRoutes(http: HttpApp, deps: service.ProposingDeps): void {
  http.write(routes.eraseCustomer, async ({ trx, params, actor }) => ({
    body: await service.proposeErasure(deps, trx, params.id, actor),
  }));

  http.read(routes.getErasure, async ({ db, params }) => ({ body: await service.getErasure(db, params.id) }));
}
