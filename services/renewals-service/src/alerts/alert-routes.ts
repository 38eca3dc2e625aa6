import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import { showRenewal } from './alert-service.ts';

export function mountAlertRoutes(http: HttpApp): void {
  http.read(routes.getRenewal, async ({ db, params }) => {
    const body = await showRenewal(db, params.renewal_id);
    return { body, etag: String(body.version) };
  });
}
