import type { InboundProvider } from '@ops/contracts/events';
import type {
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryQuery,
} from '@ops/contracts/resources/webhook-delivery';
import { type Db, execute, firstRow, rows, type Trx } from '@ops/service-kit/database';
import type { Part } from '../providers/provider.ts';
import type { ItemVerdict, Summary } from './delivery.rules.ts';
import type { KeptItem } from './item-events.ts';

export interface NewDelivery {
  id: string;
  provider: InboundProvider;
  fingerprint: Buffer;
  replay_key: string | null;
  path: string;
  content_type: string | null;
  body: Buffer;
  received_at: Date;
}

/**
 * The ids of those that were not there. A twin of one that was stored, or is being stored, waits on the unique index for the
 * other's end, and counts as its repeat; in their order, so that two who bring the same do not wait for each other.
 */
export async function insertDeliveries(trx: Trx, deliveries: readonly (NewDelivery & Summary)[]): Promise<Set<string>> {
  const inOrder = deliveries.toSorted((one, other) => Buffer.compare(one.fingerprint, other.fingerprint));
  const kept = await rows<{ id: string; repeats: number }>(
    trx,
    `INSERT INTO deliveries AS kept
       (id, provider, fingerprint, replay_key, path, content_type, body, size, outcome, reason, items,
        received_at, processed_at)
     VALUES ${inOrder.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
     ON CONFLICT ON CONSTRAINT deliveries_fingerprint DO UPDATE SET repeats = kept.repeats + 1
     RETURNING id, repeats`,
    inOrder.flatMap(({ id, provider, fingerprint, replay_key, path, content_type, body, received_at, ...summary }) => [
      id,
      provider,
      fingerprint,
      replay_key,
      path,
      content_type,
      body,
      body.length,
      summary.outcome,
      summary.reason,
      summary.items,
      received_at,
      received_at,
    ]),
  );
  // One that was committed though nobody heard so comes with its own id again.
  return new Set(kept.filter(({ repeats }) => repeats === 0).map(({ id }) => id));
}

type NewItem = KeptItem & { delivery_id: string; position: number };

const itemColumns = [
  'delivery_id',
  'id',
  'provider',
  'account',
  'kind',
  'external_id',
  'variant',
  'outcome',
  'reason',
  'position',
] as const;

/**
 * The ids of those that no delivery had brought before. They go in by their key, whatever order the provider gives them:
 * two deliveries that share items would wait for each other otherwise, and Postgres ends one of them. The column `status`
 * holds the variant: its name can change when the version before no longer names its constraint.
 */
export async function insertItems(trx: Trx, items: readonly NewItem[]): Promise<Set<string>> {
  if (items.length === 0) return new Set();
  const inserted = await rows<{ id: string }>(
    trx,
    `INSERT INTO items (delivery_id, id, provider, account, kind, external_id, status, outcome, reason, position)
     SELECT i.* FROM unnest(?::uuid[], ?::uuid[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                            ?::int[])
       AS i (delivery_id, id, provider, account, kind, external_id, status, outcome, reason, position)
     ORDER BY provider, account, kind, external_id, status, delivery_id, position
     ON CONFLICT (provider, account, kind, external_id, status) DO NOTHING
     RETURNING id`,
    itemColumns.map((column) => items.map((item) => item[column])),
  );
  return new Set(inserted.map(({ id }) => id));
}

export async function insertParts(trx: Trx, deliveryId: string, parts: readonly Part[]): Promise<void> {
  for (const { id, role, name, mediaType, contentId, bytes } of parts)
    await trx('parts').insert({
      id,
      delivery_id: deliveryId,
      role,
      name,
      media_type: mediaType,
      content_id: contentId,
      bytes,
    });
}

export async function updateSummary(trx: Trx, id: string, summary: Summary, processedAt: Date): Promise<void> {
  await trx('deliveries')
    .where({ id })
    .update({ ...summary, processed_at: processedAt });
}

export type StoredDelivery = Pick<NewDelivery, 'id' | 'provider' | 'path' | 'content_type' | 'received_at'> & {
  body: Buffer | null;
};

/** Two that read the same delivery again take turns. */
export async function lockDelivery(trx: Trx, id: string): Promise<StoredDelivery | undefined> {
  return trx<StoredDelivery>('deliveries')
    .where({ id })
    .forUpdate()
    .first('id', 'provider', 'path', 'content_type', 'body', 'received_at');
}

export async function forgetNotUnderstood(trx: Trx, deliveryId: string): Promise<void> {
  await trx('items').where({ delivery_id: deliveryId, outcome: 'not_understood' }).delete();
}

export async function itemsOf(
  db: Db | Trx,
  deliveryId: string,
): Promise<(ItemVerdict & Pick<KeptItem, 'kind' | 'variant'>)[]> {
  return rows(db, 'SELECT outcome, reason, kind, status AS variant FROM items WHERE delivery_id = ?', [deliveryId]);
}

const COLUMNS = `
  d.id, d.provider, d.outcome, d.reason, d.items, d.repeats, d.size, utc_text(d.received_at) AS received_at,
  utc_text(d.processed_at) AS processed_at, d.redacted_at IS NOT NULL AS redacted`;

/** Ids are made in the order of receipt. */
export async function listDeliveries(
  db: Db,
  { provider, outcome, limit }: Omit<WebhookDeliveryQuery, 'cursor'>,
  after: string | undefined,
): Promise<WebhookDelivery[]> {
  return rows<WebhookDelivery>(
    db,
    `SELECT ${COLUMNS} FROM deliveries d
     WHERE (CAST(:provider AS text) IS NULL OR d.provider = :provider)
       AND (CAST(:outcome AS text) IS NULL OR d.outcome = :outcome)
       AND (CAST(:after AS uuid) IS NULL OR d.id < :after)
     ORDER BY d.id DESC LIMIT :limit`,
    { provider: provider ?? null, outcome: outcome ?? null, after: after ?? null, limit },
  );
}

export async function getDelivery(db: Db | Trx, id: string): Promise<WebhookDeliveryDetail | undefined> {
  return firstRow<WebhookDeliveryDetail>(
    db,
    `SELECT ${COLUMNS}, (
       SELECT coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'kind', i.kind, 'external_id', i.external_id,
                'outcome', i.outcome, 'reason', i.reason) ORDER BY i.position), '[]')
       FROM items i WHERE i.delivery_id = d.id) AS found
     FROM deliveries d WHERE d.id = :id`,
    { id },
  );
}

export async function holdDeliveries(db: Db, itemIds: readonly string[], until: Date): Promise<number> {
  return execute(
    db,
    `UPDATE deliveries d SET held_until = :until FROM items i
     WHERE i.id = ANY (CAST(:item_ids AS uuid[])) AND d.id = i.delivery_id AND d.redacted_at IS NULL`,
    { item_ids: itemIds, until },
  );
}

export interface StoredPart {
  bytes: Buffer;
  media_type: string;
}

/** Undefined once it is not there, or not any more. */
export async function pieceOfBody(db: Db, id: string, at: number, bytes: number): Promise<Buffer | undefined> {
  const found = await firstRow<{ piece: Buffer | null }>(
    db,
    'SELECT substring(body FROM :first FOR :bytes) AS piece FROM deliveries WHERE id = :id',
    { id, first: at + 1, bytes },
  );
  return found?.piece ?? undefined;
}

export async function getPart(db: Db, id: string): Promise<StoredPart | undefined> {
  return db<StoredPart & { id: string }>('parts').where({ id }).first('bytes', 'media_type');
}
