import type { routes } from '@ops/contracts/routes';
import type { HttpApp } from '../http/http-app.ts';
import type { ImportKind } from './import.ts';
import * as service from './import-service.ts';

export interface ImportRoutes {
  begin: typeof routes.importRenewals | typeof routes.importCustomers;
  get: typeof routes.getRenewalImport;
  apply: typeof routes.applyRenewalImport;
  rows: typeof routes.listRenewalImportRows;
  file: typeof routes.downloadRenewalImportRows;
}

export function mountImports<Row>(http: HttpApp, specs: ImportRoutes, kind: ImportKind<Row>, now: () => Date): void {
  http.write(specs.begin, async ({ trx, query, body: file, actor }) => ({
    body: await service.beginImport(trx, { kind, query, file, actor, now: now() }),
  }));

  http.read(specs.get, async ({ db, params }) => ({ body: await service.getImport(db, params.id) }));

  http.write(specs.apply, async ({ trx, params }) => ({ body: await service.applyImport(trx, params.id, now()) }));

  http.read(specs.rows, async ({ db, params, query }) => ({
    body: await service.listImportRows(db, params.id, query),
  }));

  http.file(specs.file, async ({ db, params }) => ({
    content: await service.importRowsFile(db, params.id),
    mediaType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="import-${params.id}.csv"` },
  }));
}
