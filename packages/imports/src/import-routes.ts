import { nameOf, type routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import * as service from './import-service.ts';
import type { Importing } from './importing.ts';

export interface ImportRoutes {
  begin: typeof routes.importRenewals | typeof routes.importCustomers;
  get: typeof routes.getRenewalImport;
  apply: typeof routes.applyRenewalImport;
  rows: typeof routes.listRenewalImportRows;
  file: typeof routes.downloadRenewalImportRows;
  history: typeof routes.listRenewalImportHistory;
}

export function mountImports<Row>(http: HttpApp, specs: ImportRoutes, importing: Importing<Row>): void {
  http.write(specs.begin, async ({ trx, query, body: file, actor }) => ({
    body: await service.beginImport(importing, trx, { query, file, actor }),
  }));

  http.read(specs.get, async ({ db, params }) => ({ body: await service.getImport(db, params.id) }));

  http.write(specs.apply, async ({ trx, params, actor }) => ({
    body: await service.applyImport(importing, trx, params.id, actor),
  }));

  http.read(specs.rows, async ({ db, params, query }) => ({
    body: await service.listImportRows(importing, db, params.id, query),
  }));

  http.file(specs.file, async ({ db, params, actor, requestId }) => ({
    content: await service.importRowsFile(importing, db, params.id, { actor, requestId, action: nameOf(specs.file) }),
    mediaType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="import-${params.id}.csv"` },
  }));

  http.read(specs.history, async ({ db, params, query }) => ({
    body: await service.importHistory(db, params.id, query),
  }));
}
