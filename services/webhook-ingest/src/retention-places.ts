import type { InboundProvider } from '@ops/contracts/events';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Overdue, RetentionPlace } from '@ops/service-kit/retention';
import { instantsOf, latest, pastItsTime } from '@ops/service-kit/retention-places';

const channelOf: Record<InboundProvider, OutsideType> = {
  'cloud-api': 'MESSAGING_APP',
  twilio: 'SMS',
  postmark: 'EMAIL',
  mailgun: 'EMAIL',
  sendgrid: 'EMAIL',
  mime: 'EMAIL',
};

/** A raw payload quotes a message: it goes at its own time, or already at that of the message's type; not one that is held. */
function payloadsPast(order: RetentionOrder): Overdue {
  const times = Object.entries(channelOf).map(([provider, type]) => [
    provider,
    latest(instantsOf(order, ['RAW_WEBHOOK_PAYLOAD', type])),
  ]);
  const past = pastItsTime('d.provider', 'd.received_at', Object.fromEntries(times));
  return {
    ...past,
    sql: `FROM deliveries d WHERE d.redacted_at IS NULL AND ${past.sql} AND (d.held_until < now()) IS NOT FALSE`,
  };
}

/** Parts come before their deliveries, so that each is counted in its own place. */
export const ingestPlaces = ({ now }: { now: () => Date }): RetentionPlace[] => [
  {
    name: 'parts',
    overdue(order) {
      const { sql, bindings } = payloadsPast(order);
      return { sql: `SELECT p.id::text AS id FROM parts p WHERE p.delivery_id IN (SELECT d.id ${sql})`, bindings };
    },
    remove: async (trx, ids) => void (await trx('parts').whereIn('id', ids).delete()),
  },
  {
    name: 'raw_payloads',
    overdue(order) {
      const { sql, bindings } = payloadsPast(order);
      return { sql: `SELECT d.id::text AS id ${sql}`, bindings };
    },
    // A part that came since would not be found any more.
    remove: async (trx, ids) => {
      await trx('parts').whereIn('delivery_id', ids).delete();
      await trx('deliveries').whereIn('id', ids).update({ body: null, redacted_at: now() });
    },
  },
];
