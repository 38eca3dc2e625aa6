import type { Failure } from '@ops/contracts/resources/communication';
import { execute, rows, type Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';

export interface Receipt {
  item_id: string;
  provider: string;
  external_id: string;
  attempt_id: string | null;
  status: 'SENT' | 'DELIVERED' | 'READ' | 'FAILED';
  failure: Failure | null;
  occurred_at: Date;
}

export interface NewReceipt extends Receipt {
  /** Null where the provider's word holds for whomever it was sent to. */
  recipients: string[] | null;
  received_at: Date;
}

export interface ProviderId {
  provider: string;
  external_id: string;
}

/**
 * Who records a provider's id and who looks for it take turns: otherwise each could miss what the other is just about
 * to commit, and the receipt would wait for ever.
 */
export const lockProviderIds = (trx: Trx, ids: readonly ProviderId[]): Promise<void> =>
  lockKeys(
    trx,
    ids.map(({ provider, external_id }) => `${provider} ${external_id}`),
  );

/** Answers those that were not here before. */
export async function insertReceipts(trx: Trx, receipts: readonly NewReceipt[]): Promise<Set<string>> {
  const all = receipts.map((one) => ({ ...one, failure: one.failure && JSON.stringify(one.failure) }));
  const inserted = await trx('send_receipts')
    .insert(all)
    .onConflict('item_id')
    .ignore()
    .returning<{ item_id: string }[]>('item_id');
  return new Set(inserted.map(({ item_id }) => item_id));
}

/** Whoever knows the id of a mail of ours can report on it; on whom it went to, only who knows them too. */
const IS_ABOUT = '(r.recipients IS NULL OR s.sent_to IS NULL OR s.sent_to = ANY (r.recipients))';

/** Which send each is for: by our own id of the attempt where the provider gives it back, else by the provider's. */
export async function findSends(trx: Trx, receipts: readonly Receipt[]): Promise<Map<string, string>> {
  const found = await rows<{ item_id: string; id: string }>(
    trx,
    `SELECT r.item_id, d.id
     FROM send_receipts r
     CROSS JOIN LATERAL (
       SELECT c.id FROM (
         SELECT s.id, 1 AS choice FROM sends s WHERE s.id = r.attempt_id AND s.provider = r.provider AND ${IS_ABOUT}
         UNION ALL
         SELECT s.id, 2 FROM sends s
         WHERE s.provider = r.provider AND s.provider_message_id = r.external_id AND ${IS_ABOUT}
       ) c ORDER BY c.choice LIMIT 1) d
     WHERE r.item_id = ANY (CAST(:items AS uuid[]))`,
    { items: receipts.map(({ item_id }) => item_id) },
  );
  return new Map(found.map(({ item_id, id }) => [item_id, id]));
}

export async function assign(trx: Trx, sendOf: ReadonlyMap<string, string>): Promise<void> {
  await execute(
    trx,
    `UPDATE send_receipts r SET send_id = f.send_id
     FROM unnest(CAST(:items AS uuid[]), CAST(:sends AS uuid[])) AS f (item_id, send_id)
     WHERE r.item_id = f.item_id`,
    { items: [...sendOf.keys()], sends: [...sendOf.values()] },
  );
}

/** Of each of these sends what came of it before anybody knew whose it is. */
export async function takeWaiting(trx: Trx, sends: readonly (ProviderId & { id: string })[]) {
  const taken = await rows<Receipt & { send_id: string }>(
    trx,
    `UPDATE send_receipts r SET send_id = s.id
     FROM jsonb_to_recordset(CAST(:sends AS jsonb)) AS named (id uuid, provider text, external_id text)
     JOIN sends s ON s.id = named.id
     WHERE r.provider = named.provider AND r.external_id = named.external_id AND r.send_id IS NULL AND ${IS_ABOUT}
     RETURNING r.send_id, r.item_id, r.provider, r.external_id, r.attempt_id, r.status, r.failure, r.occurred_at`,
    { sends: JSON.stringify(sends.map(({ id, provider, external_id }) => ({ id, provider, external_id }))) },
  );
  return Map.groupBy(taken, ({ send_id }) => send_id);
}
