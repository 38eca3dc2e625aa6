import type { Page } from '@ops/contracts/pagination';
import type { AuditFilter, ServiceAuditEntry, ServiceAuditQuery } from '@ops/contracts/resources/audit';
import type { Actor } from '@ops/contracts/roles';
import { nameOf, type ProcessName, routes } from '@ops/contracts/routes';
import { searchAudit } from '../auditing/audit-store.ts';
import { actIn, audit } from '../auditing/auditing.ts';
import { type Db, inTransaction, reading } from '../database/database.ts';
import { decodeCursor, toPage } from './pagination.ts';

/** A page of who changed what in the process whose database this is. */
export async function auditPage(
  db: Db,
  { limit, cursor, ...filter }: ServiceAuditQuery,
): Promise<Page<ServiceAuditEntry>> {
  const position = decodeCursor(cursor, ['instant', 'uuid']);
  const before = position && { at: position[0], id: position[1] };
  return toPage(await searchAudit(db, filter, before, limit + 1), limit, ({ at, id }) => [at, id]);
}

/** All of it as a file. That it is taken along is written down before the first of it leaves. */
export async function auditFile(db: Db, name: ProcessName, filter: AuditFilter, actor: Actor, requestId: string) {
  await inTransaction(db, (trx) => {
    actIn(trx, { actor, requestId, action: nameOf(routes.downloadAudit) });
    return audit(trx, { subject: { kind: 'audit', id: name }, before: {}, after: { downloaded: true, ...filter } });
  });
  return {
    content: linesOf(db, filter),
    mediaType: 'application/jsonl; charset=utf-8',
    headers: { 'Content-Disposition': `attachment; filename="audit-${name}.jsonl"` },
  };
}

const linesAtOnce = 500;

async function* linesOf(db: Db, filter: AuditFilter): AsyncGenerator<string> {
  for (let before: { at: string; id: string } | undefined; ; ) {
    const from = before;
    const entries = await reading(() => searchAudit(db, filter, from, linesAtOnce));
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    if (entries.length < linesAtOnce) return;
    before = entries.at(-1);
  }
}
