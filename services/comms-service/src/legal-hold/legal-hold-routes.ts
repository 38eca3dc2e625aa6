import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as service from './legal-hold-service.ts';

export function mountLegalHoldRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.getLegalHold, async ({ db, params }) => ({ body: await service.getLegalHold(db, params.id) }));

  http.write(routes.setLegalHold, async ({ trx, params, body, actor }) => ({
    body: await service.setLegalHold(deps, trx, params.id, body, actor),
  }));
}
