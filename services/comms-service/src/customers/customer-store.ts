import type { Db, Trx } from '@ops/service-kit/database';
import { foldName } from '../fold-name.ts';
import type { StoredCustomer, Wanted } from './customer.rules.ts';
import type { SearchPatterns } from './search.rules.ts';

interface ListPosition {
  sortKey: string;
  id: string;
}

export interface CustomerListing {
  patterns: SearchPatterns | undefined;
  ids: readonly string[] | undefined;
  unread: boolean | undefined;
  after: ListPosition | undefined;
  limit: number;
}

/** Counts unread records and gathers identifiers for the rows of `picked` alone, a page at most. */
const whole = (picked: string) => `
  SELECT c.id, c.name, c.locale, c.time_zone, c.assigned_agent, c.preferred_channel, c.do_not_contact, c.version,
         utc_text(c.created_at) AS created_at, utc_text(c.updated_at) AS updated_at, c.sort_key,
         unread.unread_count, known.identifiers, chosen.opted_out
  FROM (${picked}) c
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS unread_count FROM communications m WHERE m.customer_id = c.id AND m.unread
  ) unread
  CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value, 'source', i.source)
                              ORDER BY i.source = 'learned', i.position, i.value), '[]') AS identifiers
    FROM identifiers i WHERE i.customer_id = c.id
  ) known
  CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(o.channel ORDER BY o.channel) FILTER (WHERE o.opted_out), '[]') AS opted_out
    FROM (SELECT DISTINCT ON (w.channel) w.channel, w.opted_out FROM opt_outs w WHERE w.customer_id = c.id
          ORDER BY w.channel, w.decided_at DESC, w.communication_id DESC) o
  ) chosen
  ORDER BY c.sort_key, c.id`;

export async function findCustomer(db: Db | Trx, id: string): Promise<StoredCustomer | undefined> {
  const { rows } = await db.raw(whole('SELECT * FROM customers WHERE id = :id'), { id });
  return rows[0];
}

export async function findCustomers(db: Db | Trx, ids: readonly string[]): Promise<StoredCustomer[]> {
  const { rows } = await db.raw(whole('SELECT * FROM customers WHERE id = ANY (CAST(:ids AS text[]))'), {
    ids: [...ids],
  });
  return rows;
}

/** In one order, so that two that change several customers wait for each other. */
export async function raiseVersions(trx: Trx, ids: readonly string[], now: Date): Promise<void> {
  await trx.raw(
    `UPDATE customers SET version = version + 1, updated_at = :now
     WHERE id IN (SELECT id FROM customers WHERE id = ANY (CAST(:ids AS text[])) ORDER BY id FOR NO KEY UPDATE)`,
    { ids: [...ids], now },
  );
}

/** Holds off other changes of this customer, not new records for it; then reads what the last one left. */
export async function lockCustomer(trx: Trx, id: string): Promise<StoredCustomer | undefined> {
  const { rows } = await trx.raw('SELECT 1 FROM customers WHERE id = :id FOR NO KEY UPDATE', { id });
  return rows.length === 0 ? undefined : findCustomer(trx, id);
}

export async function customerExists(db: Db | Trx, id: string): Promise<boolean> {
  const { rows } = await db.raw('SELECT 1 FROM customers WHERE id = :id', { id });
  return rows.length > 0;
}

export async function namesOf(db: Db | Trx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db('customers')
    .whereIn('id', [...ids])
    .select('id', 'name');
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const MATCHES = `(
  c.name_folded LIKE :name OR lower(c.id) LIKE :match_id
  OR c.id IN (SELECT i.customer_id FROM identifiers i WHERE i.kind = 'email' AND i.value LIKE :email)
  OR c.id IN (SELECT i.customer_id FROM identifiers i
              WHERE i.kind = 'phone' AND i.value LIKE ANY (CAST(:phones AS text[]))))`;

const HAS_UNREAD = 'EXISTS (SELECT 1 FROM communications m WHERE m.customer_id = c.id AND m.unread)';

/**
 * The page after a position, in the order of `customers_in_list_order`. Conditions that were not asked for are left
 * out rather than switched off by a parameter, so that EXISTS can become a join.
 */
export async function listCustomers(db: Db | Trx, listing: CustomerListing): Promise<StoredCustomer[]> {
  const { patterns, ids, unread, after, limit } = listing;
  const conditions = [
    after && '(c.sort_key, c.id) > (:after_key, :after_id)',
    patterns && MATCHES,
    ids && 'c.id = ANY (CAST(:ids AS text[]))',
    unread !== undefined && (unread ? HAS_UNREAD : `NOT ${HAS_UNREAD}`),
  ].filter(Boolean);
  const picked = `SELECT c.* FROM customers c WHERE ${conditions.join(' AND ') || 'true'}
    ORDER BY c.sort_key, c.id LIMIT :limit`;
  const search = patterns && {
    name: patterns.name,
    match_id: patterns.id,
    email: patterns.email,
    phones: patterns.phones,
  };
  const position = after && { after_key: after.sortKey, after_id: after.id };
  const { rows } = await db.raw(whole(picked), { limit, ...search, ...(ids && { ids: [...ids] }), ...position });
  return rows;
}

/** False when a twin created it first; that one's transaction has then committed. */
export async function insertCustomer(trx: Trx, id: string, wanted: Wanted, now: Date): Promise<boolean> {
  const row = { id, ...columns(wanted, now), version: 1, created_at: now };
  const inserted = await trx('customers').insert(row).onConflict('id').ignore().returning('id');
  if (inserted.length === 0) return false;
  await giveIdentifiers(trx, id, wanted);
  return true;
}

export async function updateCustomer(trx: Trx, id: string, wanted: Wanted, version: number, now: Date): Promise<void> {
  await trx('customers')
    .where({ id })
    .update({ ...columns(wanted, now), version });
  await trx('identifiers').where({ customer_id: id, source: 'given' }).delete();
  await giveIdentifiers(trx, id, wanted);
}

const columns = ({ profile }: Wanted, now: Date) => ({
  ...profile,
  name_folded: foldName(profile.name),
  updated_at: now,
});

async function giveIdentifiers(trx: Trx, customer_id: string, { phones, emails }: Wanted): Promise<void> {
  const rows = (kind: string, values: string[]) =>
    values.map((value, position) => ({ customer_id, kind, value, source: 'given', position }));
  const all = [...rows('phone', phones), ...rows('email', emails)];
  if (all.length > 0) await trx('identifiers').insert(all);
}
