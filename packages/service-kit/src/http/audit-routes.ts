import { type ProcessName, routes, type ServiceName } from '@ops/contracts/routes';
import { notFound } from '../errors.ts';
import { auditFile, auditPage } from './audit-answers.ts';
import type { HttpApp } from './http-app.ts';

/** Every service answers for what was changed in it; the gateway sends the call to the service the path names. */
export function mountAuditRoutes(http: HttpApp, service: ServiceName): void {
  const refuseOthers = (name: ProcessName) => {
    if (name !== service) throw notFound(`This is ${service}`);
  };

  http.read(routes.listAudit, async ({ db, params, query }) => {
    refuseOthers(params.name);
    return { body: await auditPage(db, query) };
  });

  http.file(routes.downloadAudit, async ({ db, params, query, actor, requestId }) => {
    refuseOthers(params.name);
    return auditFile(db, service, query, actor, requestId);
  });
}
