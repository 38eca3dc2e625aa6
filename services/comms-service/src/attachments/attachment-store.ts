import type { CustomerFile, Failure } from '@ops/contracts/resources/communication';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import type { AnybodysRecord } from '../records/communication-events.ts';
import { TOLD_COLUMNS } from '../records/record-columns.ts';
import type { FetchOutcome, StoredAttachment } from './attachment.rules.ts';

const COLUMNS = `a.id, a.communication_id, a.role, a.source, a.name, a.media_type, a.size, a.content_id, a.state, a.failure`;

export interface NewUpload {
  id: string;
  customer_id: string;
  name: string;
  media_type: string;
  content: Buffer;
  created_by: string;
  created_at: Date;
}

export async function insertUpload(trx: Trx, upload: NewUpload): Promise<StoredAttachment> {
  return oneRow<StoredAttachment>(
    trx,
    `INSERT INTO attachments AS a
       (id, customer_id, role, source, state, name, media_type, size, content, created_by, created_at)
     VALUES (:id, :customer_id, 'file', 'uploaded', 'STORED', :name, :media_type, :size, :content, :created_by, :created_at)
     RETURNING ${COLUMNS}`,
    { ...upload, size: upload.content.length },
  );
}

/** In the order given; those of others, used before or gone are left out. Two that name the same file take turns. */
export async function useUploads(
  trx: Trx,
  customerId: string,
  communicationId: string,
  ids: readonly string[],
): Promise<{ id: string; size: number }[]> {
  return rows<{ id: string; size: number }>(
    trx,
    `UPDATE attachments a SET communication_id = :communication_id, position = u.position
     FROM unnest(CAST(:ids AS uuid[])) WITH ORDINALITY AS u (id, position)
     WHERE a.id = u.id AND a.customer_id = :customer_id AND a.source = 'uploaded' AND a.state = 'STORED'
       AND a.communication_id IS NULL
     RETURNING a.id, a.size`,
    { communication_id: communicationId, customer_id: customerId, ids },
  );
}

export async function removeUnused(db: Db | Trx, before: Date): Promise<number> {
  return db('attachments').whereNull('communication_id').where('created_at', '<', before).delete();
}

export async function findAttachment(db: Db | Trx, id: string): Promise<StoredAttachment | undefined> {
  return firstRow<StoredAttachment>(db, `SELECT ${COLUMNS} FROM attachments a WHERE a.id = :id`, { id });
}

/** Whom it came from or goes to; null: nobody knows. */
export async function customerOf(db: Db, id: string): Promise<string | null> {
  const { customer_id } = await oneRow<{ customer_id: string | null }>(
    db,
    `SELECT coalesce(c.customer_id, a.customer_id) AS customer_id
     FROM attachments a LEFT JOIN communications c ON c.id = a.communication_id WHERE a.id = :id`,
    { id },
  );
  return customer_id;
}

export async function lockAttachment(trx: Trx, id: string): Promise<StoredAttachment | undefined> {
  return firstRow<StoredAttachment>(trx, `SELECT ${COLUMNS} FROM attachments a WHERE a.id = :id FOR UPDATE`, { id });
}

/** What somebody uploaded and no communication has named yet. */
export async function unsentBytes(trx: Trx, created_by: string): Promise<number> {
  const { bytes } = await oneRow<{ bytes: string }>(
    trx,
    `SELECT coalesce(sum(size), 0) AS bytes FROM attachments WHERE created_by = :created_by AND communication_id IS NULL`,
    { created_by },
  );
  return Number(bytes);
}

/** Made by these rules: the page, or `too_much`; undefined where nothing was made by them yet. */
export interface StoredHtml {
  id: string;
  page: { page: string } | 'too_much' | undefined;
}

export async function findHtml(db: Db | Trx, communicationId: string, rules: string): Promise<StoredHtml | undefined> {
  const html = await firstRow<{ id: string; page: string | null; made: boolean }>(
    db,
    `SELECT a.id, a.page, a.page_rules IS NOT DISTINCT FROM :rules AS made FROM attachments a
     WHERE a.communication_id = :communication_id AND a.role = 'html' AND a.state = 'STORED'
     ORDER BY a.position LIMIT 1`,
    { communication_id: communicationId, rules },
  );
  if (!html) return undefined;
  const { id, page, made } = html;
  return { id, page: made ? (page === null ? 'too_much' : { page }) : undefined };
}

export async function sizeOfContent(db: Db | Trx, id: string): Promise<number | undefined> {
  const found = await firstRow<{ size: number }>(
    db,
    `SELECT octet_length(content) AS size FROM attachments WHERE id = :id AND state = 'STORED'`,
    { id },
  );
  return found?.size;
}

/** Undefined once its content is not there, or not any more. */
export async function pieceOf(db: Db | Trx, id: string, at: number, bytes: number): Promise<Buffer | undefined> {
  const found = await firstRow<{ piece: Buffer }>(
    db,
    `SELECT substring(content FROM :first FOR :bytes) AS piece FROM attachments WHERE id = :id AND state = 'STORED'`,
    { id, first: at + 1, bytes },
  );
  return found?.piece;
}

/** Not of what was redacted meanwhile: its words would be here again. */
export async function keepPage(db: Db | Trx, id: string, made: { page: string | null; rules: string }): Promise<void> {
  await execute(db, `UPDATE attachments SET page = :page, page_rules = :rules WHERE id = :id AND state = 'STORED'`, {
    id,
    ...made,
  });
}

export async function filesOf(db: Db | Trx, communication_id: string): Promise<StoredAttachment[]> {
  return rows<StoredAttachment>(
    db,
    `SELECT ${COLUMNS} FROM attachments a WHERE a.communication_id = :communication_id ORDER BY a.position, a.id`,
    { communication_id },
  );
}

/** Read from the log, newest first, until there are as many as asked for: most customers have few messages, and most files are of late. */
export async function filesOfCustomer(
  db: Db,
  customerId: string,
  after: { occurredAt: string; id: string } | undefined,
  limit: number,
): Promise<CustomerFile[]> {
  return rows<CustomerFile>(
    db,
    `SELECT a.id, a.name, a.media_type, a.size, a.content_id, a.state, a.failure,
            a.communication_id, c.type, c.direction, utc_text(c.occurred_at) AS occurred_at
     FROM communications c JOIN attachments a ON a.communication_id = c.id
     WHERE c.customer_id = :customer_id AND a.role <> 'html' AND a.state <> 'REDACTED' ${
       after ? 'AND (c.occurred_at, a.id) < (CAST(:after_at AS timestamptz), CAST(:after_id AS uuid))' : ''
     }
     ORDER BY c.occurred_at DESC, a.id DESC LIMIT :limit`,
    { customer_id: customerId, limit, ...(after && { after_at: after.occurredAt, after_id: after.id }) },
  );
}

/** A file somebody is to fetch: `tries` counts this one, and no later claim has the same. */
export interface Claim {
  id: string;
  communication_id: string;
  source: 'ingest' | 'provider';
  provider: string | null;
  ref: string;
  tries: number;
}

/**
 * The one due longest. Claims of others are passed over, and one whose process died is due again when its lease is
 * over: the next try is set before anything is fetched.
 */
export async function claimDue(db: Db, now: Date, leaseUntil: Date): Promise<Claim | undefined> {
  return firstRow<Claim>(
    db,
    `UPDATE attachments a SET tries = a.tries + 1, next_try_at = :lease_until
     WHERE a.id = (
       SELECT d.id FROM attachments d WHERE d.state = 'PENDING' AND d.next_try_at <= :now
       ORDER BY d.next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING a.id, a.communication_id, a.source, a.provider, a.ref, a.tries`,
    { now, lease_until: leaseUntil },
  );
}

type Fetched = { state: 'STORED'; content: Buffer; size: number; media_type?: string; failure: null };
type NotFetched = FetchOutcome & { failure: Failure };

/** False when it is not the claimer's any more: its lease ran out, or it was redacted meanwhile. */
export async function settleClaim(trx: Trx, claim: Claim, outcome: Fetched | NotFetched): Promise<boolean> {
  const { id, tries } = claim;
  const next = { next_try_at: null, ...outcome };
  return (await trx('attachments').where({ id, tries, state: 'PENDING' }).update(next)) === 1;
}

export async function fetchAgain(trx: Trx, id: string, now: Date): Promise<void> {
  await trx('attachments').where({ id }).update({ state: 'PENDING', tries: 0, next_try_at: now, failure: null });
}

/** What is told of a record, which may be nobody's yet. */
export async function findTold(trx: Trx, id: string): Promise<AnybodysRecord | undefined> {
  return firstRow<AnybodysRecord>(trx, `SELECT ${TOLD_COLUMNS} FROM communications c WHERE c.id = :id`, { id });
}
