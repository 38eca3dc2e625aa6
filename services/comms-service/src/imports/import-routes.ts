import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { mountImports } from '@ops/service-kit/imports/import-routes';
import type { Deps } from '../deps.ts';
import { customerImport } from './import-service.ts';

export function mountImportRoutes(http: HttpApp, deps: Deps): void {
  const specs = {
    begin: routes.importCustomers,
    get: routes.getCustomerImport,
    apply: routes.applyCustomerImport,
    rows: routes.listCustomerImportRows,
    file: routes.downloadCustomerImportRows,
  };
  mountImports(http, specs, customerImport(deps), deps.now);
}
