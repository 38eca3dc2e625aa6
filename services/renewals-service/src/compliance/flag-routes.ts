import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { listFlags } from './flag-service.ts';

export function mountFlagRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.listComplianceFlags, async ({ db, params, query }) => ({
    body: await listFlags(deps, db, params.id, query),
  }));
}
