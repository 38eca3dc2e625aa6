import { type EventType, events } from '@ops/contracts/events';
import { execute } from '../database/database.ts';
import type { ErasurePlace } from './erasure.ts';
import { ADDRESSES, ERASED_AT, IDS, says } from './sought.ts';

/** Of an id alone, or of a date that is to be watched all the same: nobody may miss it. */
const heardAllTheSame = [
  'customer.erased',
  'customer.merged',
  ...Object.keys(events).filter((type) => events[type as EventType].publisher === 'upstream'),
];

/** Told of nobody else, and before they were erased. */
const OF_NOBODY_ELSE = `(
  t.type <> ALL (ARRAY[${heardAllTheSame.map((type) => `'${type}'`).join(', ')}]) AND t.created_at <= ${ERASED_AT}
  AND coalesce(btrim(CAST(t.event -> 'data' -> 'customer_id' AS text), '"') = ANY (${IDS}), true))`;

/** What every service has, being made of the bus and the kit. */
export const sharedErasure: readonly ErasurePlace[] = [
  {
    name: 'outbox',
    table: 'outbox',
    theirs: `(t.published_at IS NOT NULL OR ${OF_NOBODY_ELSE}) AND ${says('CAST(t.event AS text)')}`,
    through: { key: 'id', type: 'bigint' },
    tells: `CASE WHEN ${OF_NOBODY_ELSE} THEN t.event_id END`,
  },
  { name: 'events under way', table: 'bus._private_jobs', theirs: says('CAST(t.payload AS text)'), waits: true },
  {
    name: 'dead_letters',
    table: 'dead_letters',
    theirs: says('t.body'),
    through: { key: 'id', type: 'uuid' },
  },
  {
    name: 'idempotency_keys',
    table: 'idempotency_keys',
    theirs: `t.subject = ANY (${IDS}) OR string_to_array(t.path, '/') && ${IDS} OR ${says('t.body')}`,
  },
  {
    name: 'who changed what: values',
    table: 'audit_values',
    theirs: `EXISTS (
      SELECT FROM audit a WHERE a.id = t.audit_id AND a.subject_kind <> 'erasure'
        AND (a.customer_id = ANY (${IDS}) OR (a.subject_kind = 'customer' AND a.subject_id = ANY (${IDS}))
             OR ${says('CAST(t.changes AS text)', ADDRESSES)}))`,
    through: { key: 'audit_id', type: 'uuid' },
    take: async (trx, ids) => void (await execute(trx, 'SELECT take_audit_values(CAST(? AS uuid[]))', [ids])),
  },
];

const ours = 'a word of ours';
const ids = 'ids of ours';
const digests = 'digests';
const people = 'people of the firm';

/** Columns of text that hold nothing of a customer, and what they do hold; with their schema, where it is not the service's own. */
export const sharedHoldNobody: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  inbox: { queue: ours, event_id: ids },
  outbox_lease: { holder: 'a process' },
  migrations: { name: 'a file of ours', checksum: digests },
  erasure_counts: { place: ours },
  erasure_events: { event_id: ids },
  audit: {
    actor: people,
    role: ours,
    client: 'an application',
    request_id: 'a number of a request',
    action: ours,
    subject_kind: ours,
    subject_id: ids,
    customer_id: ids,
    digests,
  },
  audit_seals: { digest: digests, previous: digests, hash: digests },
  audit_head: { hash: digests },
  'bus.accounts': { service: ours },
  'bus.publishers': { type: ours, service: ours },
  'bus.queues': { namespace: ours, name: ours },
  'bus.bindings': { namespace: ours, type: ours, queue: ours },
};
