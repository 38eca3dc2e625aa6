import { internalRoutes } from '@ops/contracts/internal-routes';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { withWindow } from '../addressing/addressing-service.ts';
import type { Deps } from '../deps.ts';
import { assignCustomers, handOverCustomers } from './assigning-service.ts';
import {
  createCustomer,
  getCustomer,
  historyOfCustomer,
  listCustomers,
  patchCustomer,
  putCustomer,
  readCards,
} from './customer-service.ts';

export function mountCustomerRoutes(http: HttpApp, deps: Deps): void {
  http.write(routes.putCustomer, async ({ trx, params, body, ...asker }) => {
    const { customer, created, kept } = await putCustomer(deps, trx, params.id, body, asker);
    const detail = await withWindow(trx, customer, deps.now());
    return { status: created ? 201 : 200, body: { ...detail, kept }, etag: String(detail.version) };
  });

  http.write(routes.createCustomer, async ({ trx, body }) => {
    const customer = await createCustomer(deps, trx, body);
    return { body: await withWindow(trx, customer, deps.now()), etag: String(customer.version) };
  });

  http.write(routes.patchCustomer, async ({ trx, params, body, ...asker }) => {
    const { customer, kept } = await patchCustomer(deps, trx, params.id, body, asker);
    const detail = await withWindow(trx, customer, deps.now());
    return { body: { ...detail, kept }, etag: String(detail.version) };
  });

  http.read(routes.getCustomer, async ({ db, params }) => {
    const customer = await withWindow(db, await getCustomer(db, params.id), deps.now());
    return { body: customer, etag: String(customer.version) };
  });

  http.write(routes.assignCustomers, async ({ trx, body }) => ({ body: await assignCustomers(deps, trx, body) }));

  http.write(routes.handOverCustomers, async ({ trx, body, query }) => ({
    body: await handOverCustomers(deps, trx, body, query.dry_run),
  }));

  http.read(routes.listCustomerHistory, async ({ db, params, query }) => ({
    body: await historyOfCustomer(db, params.id, query),
  }));

  http.internal(internalRoutes.readCustomerCards, async ({ db, body }) => ({
    body: { data: await readCards(db, body.ids) },
  }));

  http.read(routes.listCustomers, async ({ db, query }) => ({ body: await listCustomers(deps, db, query) }));
}
