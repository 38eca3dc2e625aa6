import type { RetentionPolicy } from '@ops/contracts/resources/retention';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import * as service from './retention-service.ts';

export function mountRetentionRoutes(http: HttpApp, deps: service.RetentionDeps & service.PolicyDeps): void {
  http.read(routes.getRetention, async ({ db }) => answer(await service.getPolicy(db)));

  http.write(routes.putRetention, async ({ trx, body, actor, ifMatch }) =>
    answer(await service.putPolicy(deps, trx, body, actor, ifMatch)),
  );

  http.read(routes.listRetentionHistory, async ({ db, query }) => ({ body: await service.historyOfPolicy(db, query) }));

  http.write(routes.runRetention, async ({ trx, query, actor }) => ({
    body: await service.runOnRequest(deps, trx, query.dry_run, actor),
  }));

  http.read(routes.listRetentionRuns, async ({ db, query }) => ({ body: await service.listRuns(db, query) }));
}

const answer = <T extends RetentionPolicy>(policy: T) => ({ body: policy, etag: String(policy.version) });
