import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { takePosted } from './upstream-service.ts';

/** Where systems without a broker client post their events. */
export function mountUpstreamRoutes(http: HttpApp, deps: Deps): void {
  http.write(routes.postUpstreamEvent, async ({ trx, body }) => ({ body: await takePosted(deps, trx, body) }));
}
