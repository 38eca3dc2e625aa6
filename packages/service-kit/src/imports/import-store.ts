import type { ImportCounts, ImportRow, ImportRowsQuery } from '@ops/contracts/resources/import';
import type { Db, Trx } from '../database/database.ts';
import { mostBatchBytes } from './csv-records.ts';
import { nothingYet, type StoredImport, type StoredRow } from './import.ts';

const IMPORT = `id, name, status, options, layout, apply, counts, failure, created_by, utc_text(created_at) AS created_at,
  utc_text(updated_at) AS updated_at, utc_text(finished_at) AS finished_at`;

export interface NewImport extends Pick<StoredImport, 'id' | 'name' | 'layout' | 'options' | 'apply' | 'created_by'> {
  created_at: Date;
}

export async function insertImport(trx: Trx, { layout, options, ...rest }: NewImport): Promise<StoredImport> {
  const json = { layout: JSON.stringify(layout), options: JSON.stringify(options), counts: JSON.stringify(nothingYet) };
  const [inserted] = await trx('imports')
    .insert({ ...rest, ...json, status: 'CHECKING', updated_at: rest.created_at })
    .returning(trx.raw(IMPORT));
  return inserted;
}

export async function insertChunk(trx: Trx, import_id: string, n: number, content: Buffer): Promise<void> {
  await trx('import_chunks').insert({ import_id, n, content });
}

/** Its file, a piece at a time. */
export async function* readChunks(db: Db, import_id: string): AsyncGenerator<Buffer> {
  for (let n = 0; ; n++) {
    const chunk = await db('import_chunks').where({ import_id, n }).first('content');
    if (!chunk) return;
    yield chunk.content;
  }
}

export async function findImport(db: Db | Trx, id: string): Promise<StoredImport | undefined> {
  return db('imports').where({ id }).first(db.raw(IMPORT));
}

export async function lockImport(trx: Trx, id: string): Promise<StoredImport | undefined> {
  return trx('imports').where({ id }).forUpdate().first(trx.raw(IMPORT));
}

export async function setRunning(trx: Trx, id: string, now: Date): Promise<StoredImport> {
  const [running] = await trx('imports')
    .where({ id })
    .update({ status: 'RUNNING', updated_at: now })
    .returning(trx.raw(IMPORT));
  return running;
}

/** Whose turn it is to work on an import, until then; whoever was killed at it loses it by that time. */
export interface Claim {
  claim: string;
  until: Date;
}

export interface ClaimedImport extends StoredImport, Claim {
  /** How many there were since it last came forward, this one included. */
  claims: number;
}

/** The oldest that has something to be done and is nobody's. */
export async function claimNext(db: Db, { claim, until }: Claim, now: Date): Promise<ClaimedImport | undefined> {
  const { rows } = await db.raw(
    `UPDATE imports SET claim = :claim, claimed_until = :until, claims = claims + 1
     WHERE id = (SELECT id FROM imports
                 WHERE status IN ('CHECKING', 'RUNNING') AND (claimed_until IS NULL OR claimed_until <= :now)
                 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${IMPORT}, claims`,
    { claim, until, now },
  );
  return rows[0] && { ...rows[0], claim, until };
}

/** Undefined: somebody else has it by now. Held until the transaction ends. */
export async function lockClaimed(trx: Trx, { id, claim }: ClaimedImport): Promise<StoredImport | undefined> {
  return trx('imports').where({ id, claim }).forUpdate().first(trx.raw(IMPORT));
}

export interface Progress {
  counts: ImportCounts;
  until: Date;
  now: Date;
}

/** Whoever comes forward keeps the claim. */
export async function saveProgress(trx: Trx, id: string, { counts, until, now }: Progress): Promise<void> {
  await trx('imports')
    .where({ id })
    .update({ counts: JSON.stringify(counts), claimed_until: until, claims: 0, updated_at: now });
}

const nobodys = { claim: null, claimed_until: null, claims: 0 };

export async function endCheck(trx: Trx, id: string, status: 'CHECKED' | 'RUNNING', now: Date): Promise<void> {
  await trx('imports')
    .where({ id })
    .update({ ...nobodys, status, updated_at: now });
  await trx('import_chunks').where({ import_id: id }).delete();
}

export async function endImport(
  trx: Trx,
  id: string,
  end: { status: 'COMPLETED' } | { status: 'FAILED'; failure: string },
  now: Date,
): Promise<void> {
  await trx('imports')
    .where({ id })
    .update({ ...nobodys, ...end, updated_at: now, finished_at: now });
  await trx('import_chunks').where({ import_id: id }).delete();
}

/** Nobody's until then; null: for whoever comes next. Who can say so did not die of it. */
export async function putBack(db: Db, { id, claim }: ClaimedImport, until: Date | null): Promise<void> {
  await db('imports')
    .where({ id, claim })
    .update({ ...nobodys, claimed_until: until });
}

export async function lastLine(db: Db, import_id: string): Promise<number> {
  return (await db('import_rows').where({ import_id }).max('line AS line').first())?.line ?? 0;
}

/** Where a good row with this key stands already. */
export async function linesOfKeys(db: Db, import_id: string, keys: readonly string[]): Promise<Map<string, number>> {
  const rows = await db('import_rows')
    .where({ import_id })
    .whereIn('key', [...keys])
    .andWhere('outcome', '<>', 'refused')
    .select('key', 'line');
  return new Map(rows.map(({ key, line }) => [key, line]));
}

export async function insertRows(trx: Trx, import_id: string, rows: readonly StoredRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO import_rows (import_id, line, cells, outcome, key, record_id, errors)
     SELECT :import_id, r.line, r.cells, r.outcome, r.key, r.id, r.errors
     FROM json_to_recordset(CAST(:rows AS json)) AS r
       (line integer, cells jsonb, outcome text, key text, id text, errors jsonb)`,
    { import_id, rows: JSON.stringify(rows) },
  );
}

const TOLD = ['line', 'outcome', 'key', 'record_id AS id', 'errors'];
const ROW = [...TOLD, 'cells'];

/** The next ones, as many as there is room for, but one at least. */
const next = (columns: readonly string[], those: string) =>
  `SELECT ${columns.join(', ')}
   FROM (SELECT *, sum(bytes) OVER (ORDER BY line) - bytes AS before FROM import_rows
         WHERE import_id = :import_id AND ${those} ORDER BY line LIMIT :limit) next
   WHERE before < ${mostBatchBytes} ORDER BY line`;

const TO_DO = "outcome IN ('create', 'change')";

export async function linesToDo(db: Db, import_id: string, limit: number): Promise<number[]> {
  const { rows } = await db.raw(next(['line'], TO_DO), { import_id, limit });
  return rows.map(({ line }: { line: number }) => line);
}

export async function rowsAfter(db: Db, import_id: string, after: number, limit: number): Promise<StoredRow[]> {
  const { rows } = await db.raw(next(ROW, 'line > :after'), { import_id, after, limit });
  return rows;
}

export async function rowsToDo(trx: Trx, import_id: string, lines: readonly number[]): Promise<StoredRow[]> {
  return trx('import_rows')
    .where({ import_id })
    .whereRaw(TO_DO)
    .whereIn('line', [...lines])
    .orderBy('line')
    .select(ROW);
}

export async function settleRows(
  trx: Trx,
  import_id: string,
  rows: readonly Omit<StoredRow, 'cells'>[],
): Promise<void> {
  await trx.raw(
    `UPDATE import_rows r SET outcome = s.outcome, record_id = s.id, errors = s.errors
     FROM json_to_recordset(CAST(:rows AS json)) AS s (line integer, outcome text, id text, errors jsonb)
     WHERE r.import_id = :import_id AND r.line = s.line`,
    { import_id, rows: JSON.stringify(rows) },
  );
}

export async function listRows(
  db: Db,
  import_id: string,
  { outcome, after, limit }: Pick<ImportRowsQuery, 'limit'> & { outcome?: string | undefined; after: number },
): Promise<ImportRow[]> {
  const rows = db('import_rows').where({ import_id }).andWhere('line', '>', after).orderBy('line').limit(limit);
  return (outcome === undefined ? rows : rows.where({ outcome })).select(TOLD);
}
