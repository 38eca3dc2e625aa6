import type { ErasureOrder } from '@ops/contracts/internal-routes';
import type { Certificate } from '@ops/contracts/resources/erasure';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import { ADDRESSES, ERASED_AT, IDS, soughtBy } from '@ops/service-kit/sought';
import type { SenderIdentifier } from '../filing/matching.rules.ts';
import type { Sought } from './erasure.rules.ts';

export interface StoredErasure
  extends Pick<Certificate, 'aliases' | 'erased_at' | 'places' | 'completed_at' | 'digest'> {
  id: string;
  customer_id: string;
  proposal_id: string;
  sought: Sought | null;
}

const ERASURE = `id, customer_id, aliases, proposal_id, utc_text(erased_at) AS erased_at, sought, places,
  utc_text(completed_at) AS completed_at, digest`;

/** Nobody else writes for any of these, nor changes them, until this transaction ends. In one order. */
export async function holdAlone(trx: Trx, ids: readonly string[]): Promise<void> {
  await execute(trx, 'SELECT 1 FROM customers WHERE id = ANY (CAST(:ids AS text[])) ORDER BY id FOR UPDATE', { ids });
}

export async function isUnderWay(db: Db | Trx, ids: readonly string[]): Promise<boolean> {
  const { found } = await oneRow<{ found: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM communications WHERE customer_id = ANY (CAST(:ids AS text[])) AND status = 'QUEUED') AS found`,
    { ids },
  );
  return found;
}

/** Theirs, those of aliases, and those that their messages came from. */
export async function addressesOf(trx: Trx, ids: readonly string[]): Promise<SenderIdentifier[]> {
  return rows<SenderIdentifier>(
    trx,
    `SELECT i.kind, i.value FROM identifiers i
     WHERE i.customer_id = ANY (CAST(:ids AS text[])) OR i.brought_by = ANY (CAST(:ids AS text[]))
     UNION
     SELECT k.kind, c.sender ->> k.kind FROM communications c, unnest(ARRAY['phone', 'email', 'user_id']) AS k (kind)
     WHERE c.customer_id = ANY (CAST(:ids AS text[])) AND (c.direction = 'INBOUND' OR c.phone_app)
       AND coalesce(c.sender ->> k.kind, '') <> ''`,
    { ids },
  );
}

/** Which of these somebody else has as well. */
export async function heldByOthers(
  trx: Trx,
  ids: readonly string[],
  addresses: readonly SenderIdentifier[],
): Promise<SenderIdentifier[]> {
  return rows<SenderIdentifier>(
    trx,
    `SELECT DISTINCT i.kind, i.value
     FROM jsonb_to_recordset(CAST(:addresses AS jsonb)) AS a (kind text, value text)
     JOIN identifiers i ON i.kind = a.kind AND i.value = a.value
     WHERE i.customer_id <> ALL (CAST(:ids AS text[])) AND coalesce(i.brought_by, '') <> ALL (CAST(:ids AS text[]))`,
    { ids, addresses: JSON.stringify(addresses) },
  );
}

export async function recordsOf(trx: Trx, ids: readonly string[]): Promise<{ id: string; external: string | null }[]> {
  return rows(
    trx,
    `SELECT id, provider_message_id AS external FROM communications
     WHERE customer_id = ANY (CAST(:ids AS text[])) ORDER BY id`,
    { ids },
  );
}

/**
 * Their log, and what they wrote that nobody had linked yet; also what was under way when they were erased. By what the record itself
 * says too: what says that it waits goes before it, and a kill may come between the two.
 */
export async function recordsLeft(db: Db, order: ErasureOrder): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    `SELECT c.id FROM communications c WHERE c.customer_id = ANY (${IDS})
     UNION
     SELECT c.id FROM inbound_messages m JOIN communications c ON c.id = m.communication_id
     WHERE m.linked_at IS NULL AND c.customer_id IS NULL AND coalesce(c.received_at, c.created_at) <= ${ERASED_AT}
       AND (m.phone = ANY (${ADDRESSES}) OR m.email = ANY (${ADDRESSES}) OR m.user_id = ANY (${ADDRESSES})
            OR m.address = ANY (${ADDRESSES}))
     UNION
     SELECT c.id FROM communications c
     WHERE c.customer_id IS NULL AND coalesce(c.received_at, c.created_at) <= ${ERASED_AT}
       AND (c.sender ->> 'phone' = ANY (${ADDRESSES}) OR c.sender ->> 'email' = ANY (${ADDRESSES})
            OR c.sender ->> 'user_id' = ANY (${ADDRESSES}))`,
    soughtBy(order),
  );
  return found.map(({ id }) => id);
}

export interface NewErasure extends Pick<StoredErasure, 'id' | 'customer_id' | 'aliases' | 'proposal_id'> {
  sought: Sought;
}

/** By the database's clock, as what services made before and after goes by it too. From now on the ids are nobody's. */
export async function insertErasure(trx: Trx, erasure: NewErasure): Promise<StoredErasure> {
  const inserted = await oneRow<StoredErasure>(
    trx,
    `INSERT INTO erasures (id, customer_id, aliases, proposal_id, erased_at, sought)
     VALUES (:id, :customer_id, :aliases, :proposal_id, now(), :sought) RETURNING ${ERASURE}`,
    { ...erasure, sought: JSON.stringify(erasure.sought) },
  );
  await execute(
    trx,
    `UPDATE customers k SET erased_at = e.erased_at, version = k.version + 1, updated_at = e.erased_at
     FROM erasures e WHERE e.id = :id AND k.id = ANY (e.aliases || e.customer_id)`,
    { id: erasure.id },
  );
  return inserted;
}

/** By any id of whoever was erased. */
export async function findErasure(db: Db, id: string): Promise<StoredErasure | undefined> {
  return firstRow<StoredErasure>(
    db,
    `SELECT ${ERASURE} FROM erasures
     WHERE customer_id = (SELECT coalesce(k.leads_to, k.id) FROM customers k WHERE k.id = :id AND k.erased_at IS NOT NULL)`,
    { id },
  );
}

export async function listUnderWay(db: Db): Promise<string[]> {
  const found = await rows<{ id: string }>(db, 'SELECT id FROM erasures WHERE completed_at IS NULL ORDER BY id');
  return found.map(({ id }) => id);
}

/** Undefined: another replica is at it, or it was just done. */
export async function lockUnderWay(trx: Trx, id: string): Promise<StoredErasure | undefined> {
  return firstRow<StoredErasure>(
    trx,
    `SELECT ${ERASURE} FROM erasures WHERE id = :id AND completed_at IS NULL FOR UPDATE SKIP LOCKED`,
    { id },
  );
}

export async function savePlaces(trx: Trx, id: string, places: StoredErasure['places']): Promise<void> {
  await execute(trx, 'UPDATE erasures SET places = :places WHERE id = :id', { id, places: JSON.stringify(places) });
}

/** What they were found by is of the person too. */
export async function complete(trx: Trx, id: string, { digest, at }: { digest: string; at: string }): Promise<void> {
  await execute(
    trx,
    'UPDATE erasures SET sought = NULL, completed_at = CAST(:at AS timestamptz), digest = :digest WHERE id = :id',
    { id, at, digest },
  );
}
