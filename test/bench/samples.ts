import type { Db } from '@ops/service-kit/database';
import type { System } from '@ops/test-system/system';

/** What one record really left in the tables of comms-service, for a floor to write the same. */
export type RecordSamples = Record<'text' | 'received' | 'changed' | 'timeline', string>;

/** And what the webhook that brought it left: its payload, the event of webhook-ingest, and the queue of that event. */
export type WebhookSamples = RecordSamples & Record<'payload' | 'told' | 'queue', string>;

export async function recordSamples({ database }: System): Promise<RecordSamples> {
  const comms = database('comms');
  const record = await comms('communications').orderBy('id', 'desc').first('body');
  const line = await comms('timeline').orderBy('event_id', 'desc').first('data');
  return {
    text: record.body,
    received: await lastTold(comms, 'COMMUNICATION_RECEIVED'),
    changed: await lastTold(comms, 'communication.changed'),
    timeline: JSON.stringify(line.data),
  };
}

export async function webhookSamples(system: System): Promise<WebhookSamples> {
  const ingest = system.database('ingest');
  const { body } = await ingest('deliveries').orderBy('id', 'desc').first('body');
  return {
    ...(await recordSamples(system)),
    payload: body.toString('hex'),
    told: await lastTold(ingest, 'provider.message.received'),
    queue: (await system.database('comms')('inbox').first('queue')).queue,
  };
}

const lastTold = async (db: Db, type: string): Promise<string> =>
  JSON.stringify((await db('outbox').where({ type }).orderBy('id', 'desc').first('event')).event);
