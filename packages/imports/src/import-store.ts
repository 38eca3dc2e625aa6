import type { ImportRowsQuery } from '@ops/contracts/resources/import';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import { beginning, mostBatchBytes } from './csv-records.ts';
import { pieceBytes } from './csv-text.ts';
import { type ListedRow, nothingYet, type StoredImport, type StoredRow } from './import.ts';

const IMPORT = `id, name, status, options, layout, apply, read_to, counts, forecast, failure, created_by, acting,
  utc_text(created_at) AS created_at, utc_text(updated_at) AS updated_at, utc_text(finished_at) AS finished_at`;

/** What the version before must leave alone: it claims what nobody has claimed. A later version drops claims. */
export const claimedForEver = { claim: null, claimed_until: 'infinity' };

export type NewImport = Pick<StoredImport, 'id' | 'name' | 'layout' | 'options' | 'apply' | 'created_by' | 'acting'>;

export async function insertImport(trx: Trx, given: NewImport, now: Date): Promise<StoredImport> {
  const { layout, options, acting, ...rest } = given;
  return oneRow<StoredImport>(
    trx,
    `INSERT INTO imports (id, name, status, options, layout, apply, read_to, counts, claimed_until, created_by, acting, created_at,
        updated_at)
     VALUES (:id, :name, 'CHECKING', :options, :layout, :apply, :read_to, :counts, 'infinity', :created_by, :acting, :now, :now)
     RETURNING ${IMPORT}`,
    {
      ...rest,
      options: JSON.stringify(options),
      layout: JSON.stringify(layout),
      acting: JSON.stringify(acting),
      read_to: JSON.stringify(beginning),
      counts: JSON.stringify(nothingYet),
      now,
    },
  );
}

export async function insertFile(trx: Trx, import_id: string, pieces: AsyncIterable<Buffer>): Promise<void> {
  let n = 0;
  for await (const content of pieces) await trx('import_chunks').insert({ import_id, n: n++, content });
}

/** Its text from there on, a piece at a time. */
export async function* readFile(trx: Trx, import_id: string, from: number): AsyncGenerator<Buffer> {
  const first = Math.floor(from / pieceBytes);
  for (let n = first; ; n++) {
    const piece = await trx<{ import_id: string; n: number; content: Buffer }>('import_chunks')
      .where({ import_id, n })
      .first('content');
    if (!piece) return;
    yield n === first ? piece.content.subarray(from % pieceBytes) : piece.content;
  }
}

export async function forgetFile(trx: Trx, import_id: string): Promise<void> {
  await trx('import_chunks').where({ import_id }).delete();
}

export async function findImport(db: Db | Trx, id: string): Promise<StoredImport | undefined> {
  return firstRow(db, `SELECT ${IMPORT} FROM imports WHERE id = :id`, { id });
}

export async function lockImport(trx: Trx, id: string): Promise<StoredImport | undefined> {
  return firstRow(trx, `SELECT ${IMPORT} FROM imports WHERE id = :id FOR UPDATE`, { id });
}

/** Those that nobody goes on with: nothing came of them for a while, and no process of the version before claims them. */
export async function takeStanding(trx: Trx, now: Date): Promise<StoredImport[]> {
  return rows(
    trx,
    `UPDATE imports SET claimed_until = 'infinity', updated_at = :now
     WHERE id IN (SELECT id FROM imports
                  WHERE status IN ('CHECKING', 'RUNNING') AND updated_at < CAST(:now AS timestamptz) - interval '5 minutes'
                    AND (claimed_until IS NULL OR claimed_until < :now OR claimed_until = 'infinity')
                  ORDER BY id FOR UPDATE SKIP LOCKED)
     RETURNING ${IMPORT}`,
    { now },
  );
}

export interface Changes extends Partial<Pick<StoredImport, 'status' | 'counts' | 'forecast' | 'read_to' | 'failure'>> {
  updated_at?: Date;
  finished_at?: Date;
  claim?: null;
  claimed_until?: string | null;
  /** As JSON. */
  acting?: string;
}

export async function changeImport(trx: Trx, id: string, changes: Changes): Promise<StoredImport> {
  const [changed] = await trx('imports')
    .where({ id })
    .update({ ...changes })
    .returning<StoredImport[]>(trx.raw<StoredImport>(IMPORT));
  if (changed === undefined) throw new Error('an import that is to change is gone');
  return changed;
}

/** Where a good row with this key stands already. One by one by the index: a table that grew just now has no statistics yet. */
export async function linesOfKeys(trx: Trx, import_id: string, keys: readonly string[]): Promise<Map<string, number>> {
  const found = await rows<{ key: string; line: number }>(
    trx,
    `SELECT asked.key, first.line
     FROM unnest(CAST(:keys AS text[])) AS asked (key)
     JOIN LATERAL (SELECT r.line FROM import_rows r
                   WHERE r.import_id = :import_id AND r.key = asked.key COLLATE "C" AND r.outcome <> 'refused'
                   LIMIT 1) first ON true`,
    { import_id, keys },
  );
  return new Map(found.map(({ key, line }) => [key, line]));
}

export async function insertRows(trx: Trx, import_id: string, checked: readonly StoredRow[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO import_rows (import_id, line, cells, outcome, key, record_id, errors, kept)
     SELECT :import_id, r.line, r.cells, r.outcome, r.key, r.id, r.errors, r.kept
     FROM json_to_recordset(CAST(:rows AS json)) AS r
       (line integer, cells jsonb, outcome text, key text, id text, errors jsonb, kept jsonb)`,
    { import_id, rows: JSON.stringify(checked) },
  );
}

const TOLD = ['line', 'outcome', 'key', 'record_id AS id', 'errors', 'kept'];
const ROW = [...TOLD, 'cells'].join(', ');

/** The next ones, as many as there is room for, but one at least. */
const next = (those: string) =>
  `SELECT ${ROW}
   FROM (SELECT *, sum(bytes) OVER (ORDER BY line) - bytes AS before FROM import_rows
         WHERE import_id = :import_id AND ${those} ORDER BY line LIMIT :limit) next
   WHERE before < ${mostBatchBytes} ORDER BY line`;

export async function rowsToDo(trx: Trx, import_id: string, limit: number): Promise<StoredRow[]> {
  return rows(trx, next("outcome IN ('create', 'change')"), { import_id, limit });
}

export async function rowsAfter(db: Db, import_id: string, after: number, limit: number): Promise<StoredRow[]> {
  return rows(db, next('line > :after'), { import_id, after, limit });
}

export async function settleRows(trx: Trx, import_id: string, settled: readonly ListedRow[]): Promise<void> {
  await execute(
    trx,
    `UPDATE import_rows r SET outcome = s.outcome, record_id = s.id, errors = s.errors, kept = s.kept
     FROM json_to_recordset(CAST(:rows AS json)) AS s (line integer, outcome text, id text, errors jsonb, kept jsonb)
     CROSS JOIN LATERAL (SELECT i.import_id, i.line FROM import_rows i
                         WHERE i.import_id = :import_id AND i.line = s.line OFFSET 0) i
     WHERE r.import_id = i.import_id AND r.line = i.line`,
    { import_id, rows: JSON.stringify(settled) },
  );
}

export async function listRows(
  db: Db,
  import_id: string,
  { outcome, after, limit }: Pick<ImportRowsQuery, 'limit'> & { outcome?: string | undefined; after: number },
): Promise<ListedRow[]> {
  const listed = db('import_rows').where({ import_id }).andWhere('line', '>', after).orderBy('line').limit(limit);
  return (outcome === undefined ? listed : listed.where({ outcome })).select(TOLD);
}
