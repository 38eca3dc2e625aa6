import { internalRoutes } from '@ops/contracts/internal-routes';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import * as service from './delivery-service.ts';

export function mountDeliveryRoutes(http: HttpApp, deps: service.Deps): void {
  http.read(routes.listWebhookDeliveries, async ({ db, query }) => ({
    body: await service.listDeliveries(db, query),
  }));

  http.read(routes.getWebhookDelivery, async ({ db, params }) => ({
    body: await service.getDelivery(db, params.id),
  }));

  http.write(routes.reprocessWebhookDelivery, async ({ trx, params }) => ({
    body: await service.reprocess(deps, trx, params.id),
  }));

  http.internal(internalRoutes.holdDeliveries, async ({ db, body }) => ({
    body: { held: await service.holdDeliveries(deps, db, body.item_ids) },
  }));

  http.internal(internalRoutes.getDeliveryBody, async ({ db, params }) => ({
    content: await service.bodyOf(db, params.id),
    mediaType: 'application/octet-stream',
  }));

  http.internal(internalRoutes.getDeliveryPart, async ({ db, params }) => {
    const { bytes, media_type } = await service.getPart(db, params.id);
    return { content: bytes, mediaType: media_type };
  });
}
