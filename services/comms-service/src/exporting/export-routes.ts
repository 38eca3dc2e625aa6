import { nameOf, routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { type ExportDeps, exportCustomer } from './export-service.ts';

export function mountExportRoutes(http: HttpApp, deps: ExportDeps): void {
  http.file(routes.exportCustomer, async ({ db, params, actor, requestId }) =>
    exportCustomer(deps, db, params.id, { actor, requestId, action: nameOf(routes.exportCustomer) }),
  );
}
