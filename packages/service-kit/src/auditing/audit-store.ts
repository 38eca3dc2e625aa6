import type { AuditEntry, AuditFilter, ServiceAuditEntry } from '@ops/contracts/resources/audit';
import { type Db, rows } from '../database/database.ts';
import type { AuditedThing } from './auditing.ts';

export type AuditPosition = Pick<AuditEntry, 'at' | 'id'>;

/** What was done to one thing. */
export const historyOfThing = (
  db: Db,
  { kind, id, aliases = [] }: AuditedThing,
  before: AuditPosition | undefined,
  limit: number,
): Promise<AuditEntry[]> =>
  newestFirst(db, '', ['a.subject_kind = :kind', 'a.subject_id = ANY (CAST(:ids AS text[]))'], before, limit, {
    kind,
    ids: [id, ...aliases],
  });

const conditions: Record<keyof AuditFilter, string> = {
  customer_id: 'a.customer_id = :customer_id',
  actor: 'a.actor = :actor',
  action: 'a.action = :action',
  from: 'a.at >= CAST(:from AS timestamptz)',
  to: 'a.at < CAST(:to AS timestamptz)',
};

/** What was done in this service. */
export const searchAudit = (
  db: Db,
  filter: AuditFilter,
  before: AuditPosition | undefined,
  limit: number,
): Promise<ServiceAuditEntry[]> => {
  const asked = (Object.keys(conditions) as (keyof AuditFilter)[]).filter((name) => filter[name] !== undefined);
  const about = `, a.customer_id, json_build_object('kind', a.subject_kind, 'id', a.subject_id) AS subject`;
  return newestFirst(
    db,
    about,
    asked.map((name) => conditions[name]),
    before,
    limit,
    Object.fromEntries(asked.map((name) => [name, filter[name]])),
  );
};

async function newestFirst<Entry extends AuditEntry>(
  db: Db,
  columns: string,
  conditions: readonly string[],
  before: AuditPosition | undefined,
  limit: number,
  values: Record<string, unknown>,
): Promise<Entry[]> {
  const all = [...conditions, ...(before ? ['(a.at, a.id) < (CAST(:at AS timestamptz), CAST(:id AS uuid))'] : [])];
  const found = await rows<Omit<Entry, 'at'> & { at: Date }>(
    db,
    `SELECT a.id, a.at, a.actor, a.role, a.client, a.request_id, a.action, v.changes ${columns}
     FROM audit a LEFT JOIN audit_values v ON v.audit_id = a.id
     ${all.length > 0 ? `WHERE ${all.join(' AND ')}` : ''}
     ORDER BY a.at DESC, a.id DESC LIMIT :limit`,
    { ...values, ...before, limit },
  );
  return found.map((one) => ({ ...one, at: one.at.toISOString() }) as Entry);
}
