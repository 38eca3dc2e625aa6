/** Of `renewals_seen`. Instants leave the database as text, to the microsecond. */
export const COLUMNS = `
  r.id, r.customer_id, r.written_under, r.service_type, r.due_date, r.days_until_due, r.anchor_day, r.status, r.policy_id, r.notes,
  r.assigned_agent, r.customer_agent, r.reminders, r.source_kind, r.source_id, r.predecessor_id,
  r.successor_id, r.successor_version, r.successor_made, utc_text(r.started_at) AS started_at,
  utc_text(r.closed_at) AS closed_at, r.closed_from, utc_text(r.reopened_at) AS reopened_at, r.next_alert_on, r.version,
  r.created_on, r.silent_through, r.silenced, r.start_released, r.acknowledged_until, r.acknowledged_note, r.acknowledged_by,
  utc_text(r.acknowledged_at) AS acknowledged_at, r.answered_until, r.answers_from, r.withheld,
  r.known_after_alert, r.sequence,
  r.cancel_reason, r.cancel_note,
  utc_text(r.created_at) AS created_at, utc_text(r.updated_at) AS updated_at`;

/** Of `renewals r`, as the indexes by owner and the counts have it. */
export const OWNER = "coalesce(r.assigned_agent, r.customer_agent, '')";
