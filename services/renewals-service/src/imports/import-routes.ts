import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { mountImports } from '@ops/service-kit/imports/import-routes';
import type { Deps } from '../deps.ts';
import { renewalImport } from './import-service.ts';

export function mountImportRoutes(http: HttpApp, deps: Deps): void {
  const specs = {
    begin: routes.importRenewals,
    get: routes.getRenewalImport,
    apply: routes.applyRenewalImport,
    rows: routes.listRenewalImportRows,
    file: routes.downloadRenewalImportRows,
  };
  mountImports(http, specs, renewalImport(deps), deps.now);
}
