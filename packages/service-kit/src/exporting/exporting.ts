import { type ExportOrder, internalRoutes } from '@ops/contracts/internal-routes';
import { type Db, reading, rows } from '../database/database.ts';
import type { Sought } from '../erasure/sought.ts';
import type { HttpApp } from '../http/http-app.ts';

/** What a service holds of a customer, of one kind. */
export interface ExportedKind {
  /** Its file is called so. */
  kind: string;
  /** As people call it. */
  title: string;
  table: string;
  /** Which rows are theirs: a condition on `t`, in the words of `sought.ts`. */
  theirs: string;
  /** They come in the order of this instant, and those of one instant in that of this key, which no two have. */
  at: string;
  key: string;
  /** As JSON; left out: all of the row. */
  row?: string;
}

/** One service's part of what is held of a customer. */
export interface Exporting {
  /** Lines of JSON, many at a time, as they are read: of each kind what it is, then its rows, and at last that this was all. */
  part(order: ExportOrder): AsyncIterable<string>;
}

export const createExporting = (db: Db, kinds: readonly ExportedKind[]): Exporting => ({
  part: (order) => linesOf(db, kinds, soughtBy(order)),
});

/** The first rows are there before the answer begins: a service that cannot read says so with a status. */
export function mountExporting(http: HttpApp, exporting: Exporting): void {
  http.internal(internalRoutes.exportPart, async ({ body }) => {
    const lines = exporting.part(body)[Symbol.asyncIterator]();
    const first = await lines.next();
    return { content: continued(first, lines), mediaType: 'application/jsonl' };
  });
}

async function* continued(first: IteratorResult<string>, rest: AsyncIterator<string>): AsyncGenerator<string> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
}

const soughtBy = ({ customer_ids, records, externals }: ExportOrder): Sought => ({
  ids: customer_ids,
  records,
  externals,
});

async function* linesOf(db: Db, kinds: readonly ExportedKind[], sought: Sought): AsyncGenerator<string> {
  for (const one of kinds) {
    const { kind, title } = one;
    let head = line({ kind, title });
    for await (const page of pagesOf(db, one, sought)) {
      yield head + page.map((row) => line({ row })).join('');
      head = '';
    }
  }
  yield line({ end: true });
}

const line = (said: object): string => `${JSON.stringify(said)}\n`;

const rowsAtOnce = 200;

interface Found {
  at: string;
  key: string;
  row: object;
}

/** Each by a statement of its own, so that whoever takes it slowly holds up nobody; at least one, which may be empty. */
async function* pagesOf(db: Db, kind: ExportedKind, sought: Sought): AsyncGenerator<object[]> {
  for (let after: Found | undefined; ; ) {
    const from = after;
    const page = await reading(() => pageOf(db, kind, sought, from));
    yield page.map(({ row }) => row);
    if (page.length < rowsAtOnce) return;
    after = page.at(-1);
  }
}

function pageOf(db: Db, kind: ExportedKind, sought: Sought, after: Found | undefined): Promise<Found[]> {
  const at = `coalesce(CAST(${kind.at} AS timestamptz), '-infinity')`;
  const key = `CAST(${kind.key} AS text) COLLATE "C"`;
  const beyond = after ? `AND (${at}, ${key}) > (CAST(:after_at AS timestamptz), :after_key)` : '';
  return rows<Found>(
    db,
    `SELECT CAST(${at} AS text) AS at, ${key} AS key, ${kind.row ?? 'to_jsonb(t)'} AS row
     FROM ${kind.table} t WHERE (${kind.theirs}) ${beyond}
     ORDER BY ${at}, ${key} LIMIT ${rowsAtOnce}`,
    { ...sought, ...(after && { after_at: after.at, after_key: after.key }) },
  );
}
