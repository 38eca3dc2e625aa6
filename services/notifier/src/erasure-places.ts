import type { ErasurePlace } from '@ops/service-kit/erasure';
import { ADDRESSES, ERASED_AT, EXTERNALS, IDS, RECORDS } from '@ops/service-kit/sought';

const THEIR_SENDS = `(s.customer_id = ANY (${IDS}) OR s.communication_id = ANY (${RECORDS}))`;
const OF_SENDS = `t.send_id IN (SELECT s.id FROM sends s WHERE ${THEIR_SENDS})`;

/** What is about a date that came since, or is still to be watched, stays. */
export const notifierErasure: readonly ErasurePlace[] = [
  { name: 'send_tries', table: 'send_tries', theirs: OF_SENDS },
  {
    name: 'send_receipts',
    table: 'send_receipts',
    theirs: `${OF_SENDS} OR (t.send_id IS NULL AND t.received_at <= ${ERASED_AT}
      AND (t.external_id = ANY (${EXTERNALS}) OR t.recipients && ${ADDRESSES}))`,
  },
  { name: 'sends', table: 'sends', theirs: THEIR_SENDS.replaceAll('s.', 't.') },
  {
    name: 'alert_actions',
    table: 'alert_actions',
    theirs: `t.customer_id = ANY (${IDS}) AND t.decided_at <= ${ERASED_AT}`,
  },
  {
    name: 'followed_renewals',
    table: 'followed_renewals',
    theirs: `t.customer_id = ANY (${IDS}) AND t.status IN ('COMPLETED', 'CANCELLED')
      AND NOT EXISTS (SELECT FROM alert_actions a WHERE a.renewal_id = t.renewal_id)`,
  },
  { name: 'tasks', table: 'tasks', theirs: `t.customer_id = ANY (${IDS}) AND t.created_at <= ${ERASED_AT}` },
];

const people = 'people of the firm';
const ids = 'ids of ours';
const setting = 'a setting';

/** Columns of text that hold nothing of a customer, and what they do hold. */
export const holdsNobody: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  agents: { id: people, name: people, email: people, deputy: people },
  alert_plan: { steps: setting, fall_through: setting, quiet_hours: setting, updated_by: people },
  calendar: {
    working_days: setting,
    hours: setting,
    country: setting,
    region: setting,
    holidays: setting,
    updated_by: people,
  },
  customer_aliases: { customer_id: ids, merged_into: ids },
  followed_customers: { customer_id: ids, assigned_agent: people },
  run_alerts: { rung: 'a word of ours', step: 'a word of ours' },
  templates: {
    rung: 'a word of ours',
    channel: 'a word of ours',
    locale: 'a language',
    subject: setting,
    body: setting,
    several_subject: setting,
    several_body: setting,
    updated_by: people,
  },
};
