import type { Page } from '@ops/contracts/pagination';
import type { CsvImport, ImportQuery, ImportRow, ImportRowsQuery } from '@ops/contracts/resources/import';
import type { Actor } from '@ops/contracts/roles';
import { v7 as uuidv7 } from 'uuid';
import type { Db, Trx } from '../database/database.ts';
import { conflict, notFound, unprocessable } from '../errors.ts';
import { decodeCursor, toPage } from '../http/pagination.ts';
import type { SpooledFile } from '../http/spooled-file.ts';
import { readLayout } from './csv-layout.ts';
import { CsvFileError } from './csv-text.ts';
import { columnsOf, type ImportKind, type ImportOptions, type StoredImport, toImport } from './import.ts';
import * as store from './import-store.ts';
import { outcomeHeader, outcomeLine } from './outcome-file.ts';

interface Begin<Row> {
  kind: ImportKind<Row>;
  query: ImportQuery & ImportOptions;
  file: SpooledFile;
  actor: Actor;
  now: Date;
}

/** What the first line says is answered at once; the rows are looked through afterwards, by whichever process lives. */
export async function beginImport<Row>(trx: Trx, begin: Begin<Row>): Promise<CsvImport> {
  const { kind, query, file, actor, now: created_at } = begin;
  const { name, dry_run, ...options } = query;
  const layout = await readLayout(file.chunks(), columnsOf(kind.row)).catch(refuseFile);
  if ('problems' in layout) throw unprocessable(layout.problems);
  const said = { name, apply: !dry_run, options, created_by: actor.sub, created_at };
  const begun = await store.insertImport(trx, { id: uuidv7(), layout, ...said });
  let n = 0;
  for await (const chunk of file.chunks()) await store.insertChunk(trx, begun.id, n++, chunk);
  return toImport(begun);
}

function refuseFile(error: unknown): never {
  throw error instanceof CsvFileError ? unprocessable([{ path: 'file', message: error.message }]) : error;
}

async function requireImport(found: Promise<StoredImport | undefined>): Promise<StoredImport> {
  const one = await found;
  if (!one) throw notFound('There is no such import');
  return one;
}

export const getImport = async (db: Db, id: string): Promise<CsvImport> =>
  toImport(await requireImport(store.findImport(db, id)));

/** Said again, it is the same import. */
export async function applyImport(trx: Trx, id: string, now: Date): Promise<CsvImport> {
  const found = await requireImport(store.lockImport(trx, id));
  if (found.status === 'CHECKING') throw conflict('The file is still being looked through');
  if (found.status === 'FAILED') throw conflict('The import failed; send the file again');
  return toImport(found.status === 'CHECKED' ? await store.setRunning(trx, id, now) : found);
}

export async function listImportRows(db: Db, id: string, query: ImportRowsQuery): Promise<Page<ImportRow>> {
  await requireImport(store.findImport(db, id));
  const [after = 0] = decodeCursor(query.cursor, ['number']) ?? [];
  const rows = await store.listRows(db, id, { outcome: query.outcome, after, limit: query.limit + 1 });
  return toPage(rows, query.limit, ({ line }) => [line]);
}

export async function importRowsFile(db: Db, id: string): Promise<AsyncIterable<string>> {
  return fileOf(db, await requireImport(store.findImport(db, id)));
}

const rowsAtOnce = 200;

async function* fileOf(db: Db, { id, layout }: StoredImport): AsyncGenerator<string> {
  yield outcomeHeader(layout);
  for (let last = 0; ; ) {
    const rows = await store.rowsAfter(db, id, last, rowsAtOnce);
    if (rows.length === 0) return;
    yield rows.map((row) => outcomeLine(layout, row)).join('');
    last = rows.at(-1)?.line ?? last;
  }
}
