import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { listFlags } from './flag-service.ts';

export function mountFlagRoutes(http: HttpApp): void {
  http.read(routes.listComplianceFlags, async ({ db, params, query }) => ({
    body: await listFlags(db, params.id, query),
  }));
}
