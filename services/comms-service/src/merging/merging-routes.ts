import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { withWindow } from '../addressing/addressing-service.ts';
import type { Deps } from '../deps.ts';
import { listDuplicates } from './duplicates-service.ts';
import { mergeCustomer, unmergeCustomer } from './merging-service.ts';

export function mountMergingRoutes(http: HttpApp, deps: Deps): void {
  http.write(routes.mergeCustomer, async ({ trx, params, body, actor }) => {
    const customer = await mergeCustomer(deps, trx, params.id, body, actor);
    return { body: await withWindow(trx, customer, deps.now()), etag: String(customer.version) };
  });

  http.write(routes.unmergeCustomer, async ({ trx, params, actor }) => {
    const customer = await unmergeCustomer(deps, trx, params.id, actor);
    return { body: await withWindow(trx, customer, deps.now()), etag: String(customer.version) };
  });

  http.read(routes.listDuplicates, async ({ db, params }) => ({ body: await listDuplicates(db, params.id) }));
}
