import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import * as service from './proposal-service.ts';

export function mountProposalRoutes(http: HttpApp, deps: service.ProposalDeps): void {
  http.read(routes.listProposals, async ({ db, query }) => ({ body: await service.listWaiting(deps, db, query) }));

  http.write(routes.confirmProposal, async ({ trx, params, actor }) => ({
    body: await service.confirm(deps, trx, params.id, actor),
  }));

  http.write(routes.callOffProposal, async ({ trx, params, actor }) => ({
    body: await service.callOff(deps, trx, params.id, actor),
  }));
}
