import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import { foldName } from '../fold-name.rules.ts';
import { archivedAtOf, type StoredCustomer, type Wanted } from './customer.rules.ts';
import type { SearchPatterns } from './search.rules.ts';
import { giversAfter, sourcesAfter } from './source.rules.ts';

interface ListPosition {
  sortKey: string;
  id: string;
}

export interface CustomerListing {
  patterns: SearchPatterns | undefined;
  ids: readonly string[] | undefined;
  unread: boolean | undefined;
  archived: boolean | undefined;
  after: ListPosition | undefined;
  limit: number;
}

/** The newest decision counts, be it about this very address or about all that the customer has on the channel. */
const OPTED_OUT = `
  SELECT coalesce(jsonb_object_agg(n.channel, jsonb_build_object('at', utc_text(n.decided_at), 'source', n.source))
                  FILTER (WHERE n.opted_out), '{}') AS opted_out
  FROM unnest(ARRAY['MESSAGING_APP', 'EMAIL', 'SMS']) AS by (channel)
  CROSS JOIN LATERAL (
    SELECT w.* FROM (
      (SELECT o.* FROM opt_outs o
       WHERE o.address = i.kind || ':' || i.value AND o.address <> '' AND o.channel = by.channel
       ORDER BY o.decided_at DESC, o.id DESC LIMIT 1)
      UNION ALL
      (SELECT o.* FROM opt_outs o
       WHERE o.customer_id = c.id AND o.address = '' AND o.channel = by.channel
         AND (i.kind = 'email') = (o.channel = 'EMAIL') AND NOT (i.kind = 'user_id' AND o.channel = 'SMS')
       ORDER BY o.decided_at DESC, o.id DESC LIMIT 1)
    ) w ORDER BY w.decided_at DESC, w.id DESC LIMIT 1
  ) n`;

/** Counts unread records and gathers identifiers, those of aliases after the own, for the rows of `picked` alone, a page at most. */
const whole = (picked: string) => `
  SELECT c.id, c.name, c.locale, c.time_zone, c.assigned_agent, c.preferred_channel, c.do_not_contact, c.sources, c.version,
         utc_text(c.created_at) AS created_at, utc_text(c.updated_at) AS updated_at, utc_text(c.archived_at) AS archived_at,
         c.sort_key, c.leads_to,
         unread.unread_count, known.identifiers
  FROM (${picked}) c
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS unread_count FROM communications m WHERE m.customer_id = c.id AND m.unread
  ) unread
  CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value, 'source', i.source, 'given_by', i.given_by,
                                                 'of', coalesce(i.brought_by, i.customer_id), 'opted_out', chosen.opted_out)
                              ORDER BY i.customer_id <> c.id, i.source = 'learned', i.customer_id, i.position, i.value), '[]') AS identifiers
    FROM identifiers i CROSS JOIN LATERAL (${OPTED_OUT}) chosen WHERE i.customer_id = ANY (ids_of(c.id))
  ) known
  ORDER BY c.sort_key, c.id`;

/** Whom this id leads to. */
export async function findHome(db: Db | Trx, id: string): Promise<StoredCustomer | undefined> {
  return firstRow<StoredCustomer>(
    db,
    whole(
      'SELECT k.* FROM customers a JOIN customers k ON k.id = coalesce(a.leads_to, a.id) WHERE a.id = :id AND a.erased_at IS NULL',
    ),
    { id },
  );
}

/** Of an alias, what is its own. */
export async function findCustomer(db: Db | Trx, id: string): Promise<StoredCustomer | undefined> {
  return firstRow<StoredCustomer>(db, whole('SELECT * FROM customers WHERE id = :id AND erased_at IS NULL'), { id });
}

export async function findCustomers(db: Db | Trx, ids: readonly string[]): Promise<StoredCustomer[]> {
  return rows<StoredCustomer>(
    db,
    whole('SELECT * FROM customers WHERE id = ANY (CAST(:ids AS text[])) AND erased_at IS NULL'),
    { ids },
  );
}

/** In one order, so that two that change several customers wait for each other. */
export async function raiseVersions(trx: Trx, ids: readonly string[], now: Date): Promise<void> {
  await execute(
    trx,
    `UPDATE customers SET version = version + 1, updated_at = :now
     WHERE id IN (SELECT id FROM customers WHERE id = ANY (CAST(:ids AS text[])) ORDER BY id FOR NO KEY UPDATE)`,
    { ids, now },
  );
}

/** In one order, so that two that change several customers wait for each other. */
export async function lockCustomers(trx: Trx, ids: readonly string[]): Promise<StoredCustomer[]> {
  await execute(trx, 'SELECT 1 FROM customers WHERE id = ANY (CAST(:ids AS text[])) ORDER BY id FOR NO KEY UPDATE', {
    ids,
  });
  return findCustomers(trx, ids);
}

/** As people say it. */
export async function assignAll(trx: Trx, ids: readonly string[], agent: string | null, at: Date): Promise<void> {
  const said = JSON.stringify({ assigned_agent: { source: 'staff', at: at.toISOString() } });
  await execute(
    trx,
    `UPDATE customers SET assigned_agent = :agent, sources = sources || CAST(:said AS jsonb)
     WHERE id = ANY (CAST(:ids AS text[]))`,
    { ids, agent, said },
  );
}

export async function idsOfAgent(trx: Trx, agent: string, limit: number): Promise<string[]> {
  const found = await trx<StoredCustomer>('customers')
    .where({ assigned_agent: agent, leads_to: null })
    .orderBy('id')
    .limit(limit)
    .select('id');
  return found.map(({ id }) => id);
}

export async function countOfAgent(trx: Trx, agent: string): Promise<number> {
  const { count } = await oneRow<{ count: number }>(
    trx,
    'SELECT count(*)::int AS count FROM customers WHERE assigned_agent = :agent AND leads_to IS NULL',
    { agent },
  );
  return count;
}

/**
 * Holds off other changes of this customer, and of whom it leads to, not new records for it; then reads what the last one left. Of an
 * alias, what is its own.
 */
export async function lockCustomer(trx: Trx, id: string): Promise<StoredCustomer | undefined> {
  const locked = await rows<{ id: string }>(
    trx,
    `SELECT id FROM customers WHERE id = ANY (ARRAY(SELECT unnest(ARRAY[a.id, a.leads_to]) FROM customers a WHERE a.id = :id))
     ORDER BY id FOR NO KEY UPDATE`,
    { id },
  );
  const isLocked = (one: string) => locked.some((row) => row.id === one);
  // Whoever came into being, or was merged, while this one looked is not among them.
  if (!isLocked(id)) return undefined;
  const stored = await findCustomer(trx, id);
  return stored?.leads_to && !isLocked(stored.leads_to) ? lockCustomer(trx, id) : stored;
}

export async function namesOf(db: Db | Trx, ids: readonly string[]): Promise<Map<string, string>> {
  const named = await db<StoredCustomer>('customers')
    .whereIn('id', [...ids])
    .select('id', 'name');
  return new Map(named.map(({ id, name }) => [id, name]));
}

/** Whose customers these are. */
export async function agentsOfCustomers(db: Db | Trx, ids: readonly string[]): Promise<Map<string, string | null>> {
  const owned = await rows<Pick<StoredCustomer, 'id' | 'assigned_agent'>>(
    db,
    `SELECT a.id, k.assigned_agent FROM customers a JOIN customers k ON k.id = coalesce(a.leads_to, a.id)
     WHERE a.id = ANY (CAST(:ids AS text[]))`,
    { ids },
  );
  return new Map(owned.map(({ id, assigned_agent }) => [id, assigned_agent]));
}

/**
 * Each by its own index, and as an array, so that the list is made of those found and not looked through for them. Nothing
 * is beyond the last of an id's beginning.
 */
const MATCHES = `c.id = ANY (ARRAY(
  SELECT coalesce(n.leads_to, n.id) FROM customers n WHERE ends_of(n.name_folded) @@ CAST(:name AS tsquery)
  UNION
  SELECT coalesce(n.leads_to, n.id) FROM customers n WHERE lower(n.id) >= :match_id AND lower(n.id) < :match_id || '\u{10ffff}'
  UNION
  SELECT coalesce(n.leads_to, n.id) FROM identifiers i JOIN customers n ON n.id = i.customer_id
  WHERE ends_of(i.value) @@ CAST(:email AS tsquery) AND i.kind = 'email'
  UNION
  SELECT coalesce(n.leads_to, n.id) FROM identifiers i JOIN customers n ON n.id = i.customer_id
  WHERE ends_of(i.value) @@ CAST(:phones AS tsquery) AND i.kind = 'phone'))`;

/** Where former customers begin in the list: beyond every name. */
const FORMER = `'\u{10ffff}'`;

const HAS_UNREAD = 'EXISTS (SELECT 1 FROM communications m WHERE m.customer_id = c.id AND m.unread)';

/**
 * The page after a position, in the order of `customers_in_list_order`. Conditions that were not asked for are left
 * out rather than switched off by a parameter, so that EXISTS can become a join.
 */
export async function listCustomers(db: Db | Trx, listing: CustomerListing): Promise<StoredCustomer[]> {
  const { patterns, ids, unread, archived, after, limit } = listing;
  const conditions = [
    'c.leads_to IS NULL AND c.erased_at IS NULL',
    archived !== undefined && `c.sort_key ${archived ? '>=' : '<'} ${FORMER}`,
    after && '(c.sort_key, c.id) > (:after_key, :after_id)',
    patterns && MATCHES,
    ids &&
      'c.id = ANY (ARRAY(SELECT coalesce(a.leads_to, a.id) FROM customers a WHERE a.id = ANY (CAST(:ids AS text[]))))',
    unread !== undefined && (unread ? HAS_UNREAD : `NOT ${HAS_UNREAD}`),
  ].filter(Boolean);
  const picked = `SELECT c.* FROM customers c WHERE ${conditions.join(' AND ')}
    ORDER BY c.sort_key, c.id LIMIT :limit`;
  const search = patterns && {
    name: patterns.name,
    match_id: patterns.id,
    email: patterns.email,
    phones: patterns.phones,
  };
  const position = after && { after_key: after.sortKey, after_id: after.id };
  return rows<StoredCustomer>(db, whole(picked), { limit, ...search, ...(ids && { ids }), ...position });
}

/** After the highest of up to nine digits, as the index `customers_by_number` has them; longer ones count something else. */
export async function nextNumber(trx: Trx): Promise<number> {
  const { next } = await oneRow<{ next: number }>(
    trx,
    `SELECT greatest(coalesce(max(substring(id FROM 3)::integer), 0) + 1, 1001) AS next
     FROM customers WHERE id ~ '^C-[0-9]{1,9}$'`,
  );
  return next;
}

/** False when a twin created it first; that one's transaction has then committed. */
export async function insertCustomer(trx: Trx, id: string, wanted: Wanted, now: Date): Promise<boolean> {
  const row = { id, ...columns(undefined, wanted, now), version: 1, created_at: now };
  const inserted = await trx('customers').insert(row).onConflict('id').ignore().returning('id');
  if (inserted.length === 0) return false;
  await giveIdentifiers(trx, id, undefined, wanted);
  return true;
}

/** `stored` tells all that may be changed: what is not among it stays. */
export async function updateCustomer(trx: Trx, stored: StoredCustomer, wanted: Wanted, now: Date): Promise<void> {
  const { id, version } = stored;
  await trx('customers')
    .where({ id })
    .update({ ...columns(stored, wanted, now), version: version + 1 });
  await takeIdentifiers(trx, stored, wanted);
  await giveIdentifiers(trx, id, stored, wanted);
}

/** The own are given anew; of the aliases' those go that the customer is not to have. */
async function takeIdentifiers(trx: Trx, { id, identifiers }: StoredCustomer, wanted: Wanted): Promise<void> {
  const others = identifiers.filter(({ source, of }) => source === 'given' && of !== id);
  const own = trx('identifiers').where({ customer_id: id, source: 'given' });
  await (others.length === 0 ? own.whereNull('brought_by') : own).delete();
  const wantedOf: Record<string, readonly string[]> = { phone: wanted.phones, email: wanted.emails };
  for (const { of: customer_id, kind, value } of others)
    if (!wantedOf[kind]?.includes(value))
      await trx('identifiers').where({ customer_id, kind, value, source: 'given' }).delete();
}

const columns = (stored: StoredCustomer | undefined, wanted: Wanted, now: Date) => ({
  ...wanted.profile,
  sources: JSON.stringify(sourcesAfter(stored, wanted, now.toISOString())),
  archived_at: archivedAtOf(stored, wanted, now),
  name_folded: foldName(wanted.profile.name),
  updated_at: now,
});

async function giveIdentifiers(
  trx: Trx,
  customer_id: string,
  stored: StoredCustomer | undefined,
  wanted: Wanted,
): Promise<void> {
  const given = (kind: 'phone' | 'email') =>
    giversAfter(stored, kind, wanted).map((one, position) => ({
      customer_id,
      kind,
      ...one,
      source: 'given',
      position,
      brought_by: broughtBy(stored, kind, one.value),
    }));
  const all = [...given('phone'), ...given('email')];
  if (all.length > 0) await trx('identifiers').insert(all).onConflict().ignore();
}

/** An alias's address that somebody wants among the customer's own. */
function broughtBy(stored: StoredCustomer | undefined, kind: 'phone' | 'email', value: string): string | null {
  const known = stored?.identifiers.find((one) => one.kind === kind && one.value === value);
  return known === undefined || known.of === stored?.id ? null : known.of;
}
