import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { type AttentionDeps, listAttention, patchAttention } from './attention-service.ts';

export function mountAttentionRoutes(http: HttpApp, deps: AttentionDeps): void {
  http.write(routes.patchAttention, async ({ trx, params, body }) => ({
    body: await patchAttention(deps, trx, params.id, body),
  }));

  http.read(routes.listAttention, async ({ db, query, actor }) => ({
    body: await listAttention(deps, db, query, actor),
  }));
}
