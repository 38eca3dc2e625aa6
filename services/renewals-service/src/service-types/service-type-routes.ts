import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { historyOfServiceType, listServiceTypes, putServiceType } from './service-type-service.ts';

export function mountServiceTypeRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.listServiceTypes, async ({ db }) => ({ body: { data: await listServiceTypes(db) } }));

  http.write(routes.putServiceType, async ({ trx, params, body, ifMatch }) => {
    const { serviceType, created } = await putServiceType(deps, trx, params.code, body, ifMatch);
    return { status: created ? 201 : 200, body: serviceType, etag: String(serviceType.version) };
  });

  http.read(routes.listServiceTypeHistory, async ({ db, params, query }) => ({
    body: await historyOfServiceType(db, params.code, query),
  }));
}
