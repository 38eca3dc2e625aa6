import { type Db, firstRow, rows, type Trx } from '@ops/service-kit/database';

interface Lead {
  id: string;
  leads_to: string | null;
}

/** Where each of these ids leads; who does not exist is left out, and so is who was erased. */
export async function homesOf(db: Db | Trx, ids: readonly string[]): Promise<Map<string, string>> {
  const found = await rows<Lead>(
    db,
    'SELECT id, leads_to FROM customers WHERE id = ANY (CAST(:ids AS text[])) AND erased_at IS NULL',
    { ids },
  );
  return new Map(found.map(({ id, leads_to }) => [id, leads_to ?? id]));
}

export async function homeOf(db: Db | Trx, id: string): Promise<string | undefined> {
  const found = await firstRow<Lead>(db, 'SELECT id, leads_to FROM customers WHERE id = :id AND erased_at IS NULL', {
    id,
  });
  return found && (found.leads_to ?? found.id);
}

/**
 * The same, and so it is until this transaction ends: whoever merges holds each id for themselves. In one order, so that the two wait
 * for each other; unless it `mayWait`, it fails where somebody holds one.
 */
export async function holdHomes(trx: Trx, ids: readonly string[], mayWait = true): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const held = await rows<Lead>(
    trx,
    `SELECT k.id, k.leads_to FROM customers k
     WHERE k.id = ANY (ARRAY(
             SELECT unnest(CAST(:ids AS text[]))
             UNION ALL SELECT a.leads_to FROM customers a WHERE a.id = ANY (ARRAY(SELECT unnest(CAST(:ids AS text[]))))))
       AND k.erased_at IS NULL
     ORDER BY k.id FOR KEY SHARE ${mayWait ? '' : 'NOWAIT'}`,
    { ids },
  );
  const asked = new Set(ids);
  return new Map(held.flatMap(({ id, leads_to }) => (asked.has(id) ? [[id, leads_to ?? id] as const] : [])));
}

/** Which of these ids are of somebody who was erased. */
export async function erasedAmong(db: Db | Trx, ids: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    db,
    'SELECT id FROM customers WHERE id = ANY (CAST(:ids AS text[])) AND erased_at IS NOT NULL',
    { ids: [...new Set(ids)] },
  );
  return new Set(found.map(({ id }) => id));
}

/** Who else this customer was taken to be, by their ids. */
export async function aliasesOf(db: Db | Trx, id: string): Promise<string[]> {
  const found = await rows<{ id: string }>(db, 'SELECT id FROM customers WHERE leads_to = :id ORDER BY id', { id });
  return found.map((one) => one.id);
}

/** Which of these customers others were taken to be. */
export async function survivorsAmong(db: Db | Trx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const found = await rows<{ leads_to: string }>(
    db,
    'SELECT DISTINCT leads_to FROM customers WHERE leads_to = ANY (ARRAY(SELECT unnest(CAST(:ids AS text[]))))',
    { ids },
  );
  return new Set(found.map(({ leads_to }) => leads_to));
}

interface Decided {
  into: string | null;
  version: number;
}

/** What was decided last of each of these ids; of most nothing was. */
export async function decidedOf(db: Db | Trx, ids: readonly string[]): Promise<Map<string, Decided>> {
  const found = await rows<Decided & { id: string }>(
    db,
    `SELECT customer_id AS id, merged_into AS into, version FROM customer_aliases
     WHERE customer_id = ANY (CAST(:ids AS text[]))`,
    { ids },
  );
  return new Map(found.map(({ id, ...decided }) => [id, decided]));
}
