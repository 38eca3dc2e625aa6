import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { listTimeline } from './timeline-service.ts';

export function mountTimelineRoutes(http: HttpApp): void {
  http.read(routes.listTimeline, async ({ db, params, query }) => ({ body: await listTimeline(db, params.id, query) }));
}
