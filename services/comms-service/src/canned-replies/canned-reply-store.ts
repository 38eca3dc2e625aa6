import type { CannedReplies } from '@ops/contracts/resources/canned-reply';
import { type Db, execute, firstRow, oneRow, type Trx } from '@ops/service-kit/database';

type Kept = Omit<CannedReplies, 'scope'>;

const COLUMNS = 'replies, signature, version, utc_text(updated_at) AS updated_at, updated_by';

export const read = (db: Db | Trx, owner: string): Promise<Kept | undefined> =>
  firstRow<Kept>(db, `SELECT ${COLUMNS} FROM canned_replies WHERE owner = :owner`, { owner });

/** Two that save at once take turns, also where there is nothing to lock yet. */
export async function lock(trx: Trx, owner: string): Promise<Kept | undefined> {
  await execute(trx, `SELECT pg_advisory_xact_lock(hashtext('canned_replies'), hashtext(:owner))`, { owner });
  return read(trx, owner);
}

export interface SavedReplies {
  owner: string;
  replies: CannedReplies['replies'];
  signature: string | null;
  version: number;
  updated_at: Date;
  updated_by: string;
}

export const save = (trx: Trx, saved: SavedReplies): Promise<Kept> =>
  oneRow<Kept>(
    trx,
    `INSERT INTO canned_replies (owner, replies, signature, version, updated_at, updated_by)
     VALUES (:owner, :replies, :signature, :version, :updated_at, :updated_by)
     ON CONFLICT (owner) DO UPDATE
       SET replies = excluded.replies, signature = excluded.signature, version = excluded.version,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by
     RETURNING ${COLUMNS}`,
    { ...saved, replies: JSON.stringify(saved.replies) },
  );
