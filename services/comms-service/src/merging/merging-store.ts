import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import type { SenderIdentifier } from '../filing/matching.rules.ts';
import type { Alias } from './merging.rules.ts';

export async function findAlias(db: Db | Trx, id: string): Promise<Alias | undefined> {
  return firstRow<Alias>(
    db,
    `SELECT customer_id, merged_into, version, utc_text(merged_at) AS merged_at, link_id
     FROM customer_aliases WHERE customer_id = :id`,
    { id },
  );
}

/** Nobody else writes for any of these, nor changes them, until this transaction ends. In one order. */
export async function holdAlone(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(trx, 'SELECT 1 FROM customers WHERE id = ANY (CAST(:ids AS text[])) ORDER BY id FOR UPDATE', { ids });
}

export async function identifiersOfAll(trx: Trx, ids: readonly string[]): Promise<SenderIdentifier[]> {
  return rows<SenderIdentifier>(
    trx,
    'SELECT DISTINCT kind, value FROM identifiers WHERE customer_id = ANY (CAST(:ids AS text[]))',
    { ids },
  );
}

/** Each decision about an id counts one further. */
export async function saveAlias(trx: Trx, alias: Omit<Alias, 'version' | 'merged_at'>, at: Date): Promise<number> {
  const { version } = await oneRow<{ version: number }>(
    trx,
    `INSERT INTO customer_aliases AS a (customer_id, merged_into, version, merged_at, link_id)
     VALUES (:customer_id, :merged_into, 1, :at, :link_id)
     ON CONFLICT (customer_id) DO UPDATE
       SET merged_into = excluded.merged_into, version = a.version + 1, merged_at = excluded.merged_at,
           link_id = excluded.link_id, filled = '{}'
     RETURNING a.version`,
    { ...alias, at },
  );
  return version;
}

/** This id and all that were merged into it, or into one of those. */
const LED = `
  WITH RECURSIVE led (id) AS (
    SELECT CAST(:id AS text) COLLATE "C"
    UNION
    SELECT a.customer_id FROM led l JOIN customer_aliases a ON a.merged_into = l.id
  )`;

/** From now on they lead to `home`, which may be the id itself. */
export async function leadTo(trx: Trx, id: string, home: string): Promise<void> {
  await execute(
    trx,
    `${LED} UPDATE customers k SET leads_to = nullif(CAST(:home AS text), k.id) FROM led l WHERE k.id = l.id`,
    { id, home },
  );
}

const TABLES = ['communications', 'timeline', 'attachments', 'opt_outs'];

/**
 * All that was written under the id, or one that leads to it, goes along from where it was until now; done again it changes nothing.
 * Records in one order, as all do who hold several.
 */
export async function carryRows(trx: Trx, id: string, from: string, home: string): Promise<void> {
  const under = (row: string) =>
    `${row}.customer_id = :from AND coalesce(${row}.written_under, ${row}.customer_id) IN (SELECT l.id FROM led l)`;
  await execute(trx, `${LED} SELECT 1 FROM communications r WHERE ${under('r')} ORDER BY r.id FOR UPDATE`, {
    id,
    from,
  });
  for (const table of TABLES)
    await execute(
      trx,
      `${LED} UPDATE ${table} r SET customer_id = :home, written_under = coalesce(r.written_under, r.customer_id)
       WHERE ${under('r')}`,
      { id, from, home },
    );
}

/** Addresses that somebody put among the survivor's own go back to whom they are from. */
export async function giveBackIdentifiers(trx: Trx, id: string, survivor: string): Promise<void> {
  await execute(
    trx,
    `${LED} DELETE FROM identifiers i WHERE i.customer_id = :survivor AND i.brought_by IN (SELECT l.id FROM led l)`,
    { id, survivor },
  );
}

/** Customers who are called the same, former ones too. */
export async function namesakesOf(db: Db, id: string, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    `SELECT k.id
     FROM customers c
     JOIN customers k ON k.sort_key IN (ltrim(c.sort_key, U&'\\+10FFFF'), U&'\\+10FFFF' || ltrim(c.sort_key, U&'\\+10FFFF'))
      AND k.name_folded = c.name_folded
     WHERE c.id = :id AND c.name_folded <> '' AND k.id <> c.id AND k.leads_to IS NULL ORDER BY k.id LIMIT :limit`,
    { id, limit },
  );
  return found.map((one) => one.id);
}
