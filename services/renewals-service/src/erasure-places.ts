import { importErasure, importsHoldNobody } from '@ops/imports/import-erasure';
import type { ErasurePlace } from '@ops/service-kit/erasure';
import { ERASED_AT, IDS, RECORDS } from '@ops/service-kit/sought';

/** A date that came since, or is still to be watched, stays, with the number it is watched by. */
const THEIR_RENEWALS = `r.customer_id = ANY (${IDS}) AND r.closed_at IS NOT NULL AND r.created_at <= ${ERASED_AT}`;
/** It names one of the policies or permits that they are of. */
const NUMBER_OF_THEIRS = (json: string) => `EXISTS (
  SELECT FROM renewals r LEFT JOIN upstream_statements s ON s.renewal_id = r.id
  WHERE ${THEIR_RENEWALS} AND ARRAY[r.policy_id, r.source_id, s.source_id] && string_to_array(${json}, '"'))`;

const OF_RENEWALS = `t.renewal_id IN (SELECT r.id FROM renewals r WHERE ${THEIR_RENEWALS})`;

const ofRenewals = (table: string): ErasurePlace => ({ name: table, table, theirs: OF_RENEWALS });

export const renewalsErasure: readonly ErasurePlace[] = [
  // By what is said of a policy or permit, so before that is gone.
  {
    name: 'outbox: policies and permits',
    table: 'outbox',
    theirs: `t.published_at IS NOT NULL AND ${NUMBER_OF_THEIRS('CAST(t.event AS text)')}`,
    through: { key: 'id', type: 'bigint' },
  },
  {
    name: 'dead_letters: policies and permits',
    table: 'dead_letters',
    theirs: NUMBER_OF_THEIRS('t.body'),
    through: { key: 'id', type: 'uuid' },
  },
  {
    name: 'upstream_endings',
    table: 'upstream_endings',
    theirs: `EXISTS (SELECT FROM renewals r WHERE ${THEIR_RENEWALS} AND (r.source_kind, r.source_id) = (t.kind, t.source_id))
      OR EXISTS (SELECT FROM upstream_statements s JOIN renewals r ON r.id = s.renewal_id
                 WHERE ${THEIR_RENEWALS} AND (s.kind, s.source_id) = (t.kind, t.source_id))`,
  },
  ...['upstream_statements', 'alert_outcomes', 'alerts', 'compliance_flags', 'external_ids', 'refresh_set_aside'].map(
    ofRenewals,
  ),
  ofRenewals('followed_tasks'),
  {
    name: 'linked_messages',
    table: 'linked_messages',
    theirs: `t.communication_id = ANY (${RECORDS}) OR ${OF_RENEWALS}`,
  },
  // One of another customer may follow one of theirs, since merges are taken back.
  {
    name: 'renewals: what follows',
    table: 'renewals',
    theirs: `t.successor_id IN (SELECT r.id FROM renewals r WHERE ${THEIR_RENEWALS})`,
    blanks: { successor_id: 'NULL', successor_version: 'NULL', successor_made: 'NULL' },
  },
  {
    name: 'renewals: what was before',
    table: 'renewals',
    theirs: `t.predecessor_id IN (SELECT r.id FROM renewals r WHERE ${THEIR_RENEWALS})`,
    blanks: { predecessor_id: 'NULL' },
  },
  { name: 'renewals', table: 'renewals', theirs: THEIR_RENEWALS.replaceAll('r.', 't.') },
  {
    name: 'renewals: notes',
    table: 'renewals',
    theirs: `t.customer_id = ANY (${IDS}) AND t.created_at <= ${ERASED_AT}`,
    blanks: { notes: 'NULL', acknowledged_note: 'NULL', cancel_note: 'NULL' },
  },
  ...importErasure,
];

const people = 'people of the firm';
const ids = 'ids of ours';
const word = 'a word of ours';

/** Columns of text that hold nothing of a customer, and what they do hold. */
export const holdsNobody: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...importsHoldNobody,
  agents: { id: people, name: people, deputy: people },
  customer_aliases: { customer_id: ids, merged_into: ids },
  followed_alert_plan: { outreach: 'a setting' },
  followed_customers: { customer_id: ids, assigned_agent: people },
  open_renewal_counts: { service_type: 'a setting' },
  renewal_count_changes: { owner: people, service_type: 'a setting', status: word },
  renewal_counts: { owner: people, service_type: 'a setting', status: word },
  refresh_runs: { status: word, started_by: people, counts: 'counts', failure: 'a sentence of ours' },
  service_types: { code: 'a setting', label: 'a setting', labels: 'a setting' },
};
