import { internalRoutes, type RetentionOrder } from '@ops/contracts/internal-routes';
import { serviceNames } from '@ops/contracts/routes';
import type { Db } from '@ops/service-kit/database';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Retention } from '@ops/service-kit/retention';
import { portionsOfItems } from '../records/record-service.ts';
import type { Holder } from './retention-service.ts';

/** Every service, this one without a detour. */
export const holdersOf = (db: Db, own: Retention, others: InternalClient): Holder[] =>
  serviceNames.map((service) => ({
    service,
    ...(service === 'webhook-ingest' && { prepare: (order) => holdDeliveries(db, others, order) }),
    apply: (order) =>
      service === 'comms-service'
        ? own.apply(order)
        : others.ask(service, internalRoutes.applyRetention, { body: order }),
  }));

const itemsAtOnce = 5_000;

/** webhook-ingest knows no customers: it is told which of its items are of those who are on hold. */
async function holdDeliveries(db: Db, others: InternalClient, { held }: RetentionOrder): Promise<void> {
  if (held.length === 0) return;
  for await (const item_ids of portionsOfItems(db, held, itemsAtOnce))
    await others.ask('webhook-ingest', internalRoutes.holdDeliveries, { body: { item_ids } });
}
