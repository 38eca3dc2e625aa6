import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { listOptOuts, setOptOut } from './opt-out-service.ts';

export function mountOptOutRoutes(http: HttpApp, deps: Deps): void {
  http.write(routes.setOptOut, async ({ trx, params, body, actor }) => ({
    body: await setOptOut(deps, trx, params.id, body, actor),
  }));

  http.read(routes.listOptOuts, async ({ db, params, query }) => ({ body: await listOptOuts(db, params.id, query) }));
}
