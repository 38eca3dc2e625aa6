import { IDS } from '../erasure/sought.ts';
import type { ExportedKind } from './exporting.ts';

/** What every service has, being made of the bus and the kit. */
export const sharedKinds: readonly ExportedKind[] = [
  {
    kind: 'gave-up-on',
    title: 'What a queue gave up on',
    table: 'dead_letters',
    theirs: `t.subject = ANY (${IDS})`,
    at: 't.failed_at',
    key: 't.id',
  },
  {
    kind: 'who-changed-what',
    title: 'Who changed what, and who looked at what was said',
    table: 'audit',
    theirs: `t.customer_id = ANY (${IDS}) OR (t.subject_kind = 'customer' AND t.subject_id = ANY (${IDS}))`,
    at: 't.at',
    key: 't.id',
    row: `jsonb_build_object('id', t.id, 'at', t.at, 'actor', t.actor, 'role', t.role, 'client', t.client, 'action', t.action,
      'subject', t.subject_kind || ' ' || t.subject_id,
      'changes', (SELECT v.changes FROM audit_values v WHERE v.audit_id = t.id))`,
  },
];

const copy = 'a copy of what is told here, kept while it is under way';

/** Tables of every service of which nothing is told, and why. */
export const sharedUntold: Readonly<Record<string, string>> = {
  outbox: copy,
  inbox: 'ids of events',
  idempotency_keys: copy,
  outbox_lease: 'a process',
  migrations: 'files of ours',
  audit_values: 'told with the row it belongs to',
  audit_seals: 'digests',
  audit_head: 'digests',
  erasure_counts: 'counts',
  erasure_events: 'ids of events',
};
