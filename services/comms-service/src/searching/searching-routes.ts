import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { searchCommunications } from './searching-service.ts';

export function mountSearchingRoutes(http: HttpApp): void {
  http.read(routes.searchCommunications, async ({ db, query }) => ({ body: await searchCommunications(db, query) }));
}
