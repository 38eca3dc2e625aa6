import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { CsvImport, ImportQuery, ImportRow, ImportRowsQuery } from '@ops/contracts/resources/import';
import type { Actor } from '@ops/contracts/roles';
import { type Acting, actIn, actingIn, audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { conflict, forbidden, notFound, unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import { readLayout } from './csv-layout.ts';
import { CsvFileError, inPieces, textOf } from './csv-text.ts';
import { columnsOf, type ImportOptions, type StoredImport, toImport, toldToday } from './import.ts';
import * as store from './import-store.ts';
import { goOn, type Importing } from './importing.ts';
import { outcomeHeader, outcomeLine } from './outcome-file.ts';

interface Begin {
  query: ImportQuery & ImportOptions;
  /** From its beginning each time. */
  file: { chunks(): AsyncIterable<Buffer> };
  actor: Actor;
}

/** What the first line says is answered at once, and whether it is text at all; the rows are looked through afterwards. */
export async function beginImport<Row>(
  importing: Importing<Row>,
  trx: Trx,
  { query, file, actor }: Begin,
): Promise<CsvImport> {
  const { name, dry_run, ...options } = query;
  const layout = await readLayout(file.chunks(), columnsOf(importing.kind.row)).catch(refuseFile);
  if ('problems' in layout) throw unprocessable(layout.problems);
  const said = { name, apply: !dry_run, options, created_by: actor.sub, acting: actingIn(trx) ?? null };
  const begun = await store.insertImport(trx, { id: uuidv7(), layout, ...said }, importing.now());
  await store.insertFile(trx, begun.id, inPieces(textOf(file.chunks()))).catch(refuseFile);
  await goOn(importing, trx, begun.id);
  await audit(trx, {
    subject: subjectOf(begun.id),
    before: undefined,
    after: { name, taken_in: !dry_run, ...options },
  });
  return toImport(begun);
}

const subjectOf = (id: string) => ({ kind: 'import' as const, id });

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

/** Said again, it is the same import. A program does not decide for people what of their file is taken in. */
export async function applyImport<Row>(
  importing: Importing<Row>,
  trx: Trx,
  id: string,
  actor: Actor,
): Promise<CsvImport> {
  const found = await requireImport(store.lockImport(trx, id));
  if (actor.role === 'automation' && found.created_by !== actor.sub) throw forbidden('Somebody else sent this file');
  if (found.status === 'CHECKING') throw conflict('The file is still being looked through');
  if (found.status === 'FAILED') throw conflict('The import failed; send the file again');
  if (found.status !== 'CHECKED') return toImport(found);
  await goOn(importing, trx, id);
  await audit(trx, { subject: subjectOf(id), before: { taken_in: false }, after: { taken_in: true } });
  const acting = actingIn(trx);
  const by = { ...store.claimedForEver, ...(acting && { acting: JSON.stringify(acting) }) };
  const running = { ...by, status: 'RUNNING', updated_at: importing.now() } as const;
  return toImport(await store.changeImport(trx, id, running));
}

export async function listImportRows<Row>(
  { kind }: Reading<Row>,
  db: Db,
  id: string,
  query: ImportRowsQuery,
): Promise<Page<ImportRow>> {
  await requireImport(store.findImport(db, id));
  const [after = 0] = decodeCursor(query.cursor, ['number']) ?? [];
  const rows = await store.listRows(db, id, { outcome: query.outcome, after, limit: query.limit + 1 });
  const page = toPage(rows, query.limit, ({ line }) => [line]);
  return { ...page, data: await toldToday(kind, db, page.data) };
}

/** What a look at an import needs. */
type Reading<Row> = Pick<Importing<Row>, 'kind'>;

/** Who takes it along is written down before the first of it leaves. */
export async function importRowsFile<Row>(
  reading: Reading<Row>,
  db: Db,
  id: string,
  by: Acting,
): Promise<AsyncIterable<string>> {
  const found = await requireImport(store.findImport(db, id));
  await inTransaction(db, (trx) => {
    actIn(trx, by);
    return audit(trx, { subject: subjectOf(id), before: {}, after: { downloaded: true } });
  });
  return fileOf(reading, db, found);
}

export async function importHistory(db: Db, id: string, query: HistoryQuery): Promise<Page<AuditEntry>> {
  await requireImport(store.findImport(db, id));
  return historyOf(db, subjectOf(id), query);
}

const rowsAtOnce = 200;

async function* fileOf<Row>({ kind }: Reading<Row>, db: Db, { id, layout }: StoredImport): AsyncGenerator<string> {
  yield outcomeHeader(layout);
  for (let last = 0; ; ) {
    const rows = await toldToday(kind, db, await store.rowsAfter(db, id, last, rowsAtOnce));
    if (rows.length === 0) return;
    yield rows.map((row) => outcomeLine(layout, row)).join('');
    last = rows.at(-1)?.line ?? last;
  }
}
