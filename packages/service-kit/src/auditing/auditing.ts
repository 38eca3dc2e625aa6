import type { Actor, Role } from '@ops/contracts/roles';
import { v7 as uuidv7 } from 'uuid';
import { execute, type Trx } from '../database/database.ts';
import { changesBetween, type Facts, sealable } from './changes.ts';

export interface Acting {
  /** `nobody`: who did not show who they are, and was refused. */
  actor: Pick<Actor, 'sub' | 'client'> & { role: Role | 'nobody' };
  requestId: string;
  action: string;
}

/** By their transaction, which every use case has at hand. */
const acting = new WeakMap<Trx, Acting>();

/** From here on, what is changed in this transaction was asked for by them. */
export const actIn = (trx: Trx, who: Acting): void => void acting.set(trx, who);

/** Who asked for what this transaction does, to be kept for what is done of it later. */
export const actingIn = (trx: Trx): Acting | undefined => acting.get(trx);

/** What the row is about. A customer who is erased takes the values along. */
export interface AuditSubject {
  kind:
    | 'customer'
    | 'communication'
    | 'renewal'
    | 'task'
    | 'agent'
    | 'service_type'
    | 'alert_plan'
    | 'template'
    | 'calendar'
    | 'retention'
    | 'retention_run'
    | 'canned_replies'
    | 'import'
    | 'dead_letter'
    | 'webhook_delivery'
    | 'view'
    | 'session'
    | 'refusal'
    | 'erasure'
    | 'audit';
  id: string;
  customer_id?: string;
}

/** What is asked for; of one who was merged, all ids are. */
export interface AuditedThing extends AuditSubject {
  aliases?: readonly string[];
}

export interface Audited {
  subject: AuditSubject;
  /** Undefined: it was not there. */
  before: Facts | undefined;
  after: Facts;
}

/**
 * Writes down who changed what, in the transaction of the change. Nothing is written where nothing changed, nor of what happens by
 * itself, as in a consumer: nobody asked for it. The facts never hold words of a message.
 */
export async function audit(trx: Trx, ...audited: Audited[]): Promise<void> {
  const by = acting.get(trx);
  const changed = by ? audited.map(rowOf).filter(({ changes }) => changes.length > 0) : [];
  if (!by || changed.length === 0) return;
  const { actor, requestId: request_id, action } = by;
  await execute(
    trx,
    `WITH changed AS (
       SELECT * FROM jsonb_to_recordset(CAST(:changed AS jsonb))
         AS c (id uuid, kind text, subject_id text, customer_id text, salt text, digests jsonb, changes jsonb)
     ), written AS (
       INSERT INTO audit (id, actor, role, client, request_id, action, subject_kind, subject_id, customer_id, digests)
       SELECT id, :actor, :role, :client, :request_id, :action, kind, subject_id, customer_id, digests FROM changed
     )
     INSERT INTO audit_values (audit_id, salt, changes) SELECT id, salt, changes FROM changed`,
    {
      changed: JSON.stringify(changed),
      actor: actor.sub,
      role: actor.role,
      client: actor.client ?? null,
      request_id,
      action,
    },
  );
}

function rowOf({ subject: { kind, id, customer_id }, before = {}, after }: Audited) {
  const changes = changesBetween(before, after);
  return { id: uuidv7(), kind, subject_id: id, customer_id, ...sealable(changes), changes };
}
