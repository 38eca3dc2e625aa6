-- A renewal that somebody is at is not written about.

ALTER TABLE renewals
  -- Whoever started it has let the reminders go on all the same.
  ADD COLUMN start_released boolean NOT NULL DEFAULT false,
  -- Of each the first day on which it holds no more.
  ADD COLUMN acknowledged_until date,
  ADD COLUMN answered_until date,
  ADD COLUMN acknowledged_note text,
  ADD COLUMN acknowledged_by text,
  ADD COLUMN acknowledged_at timestamptz,
  -- Answers that were linked before this version hold it no more: it was released or moved then.
  ADD COLUMN answers_from integer NOT NULL DEFAULT 0,
  -- A message about it was kept back by a hold; the first refresh after that sees to it.
  ADD COLUMN withheld boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT renewals_acknowledged CHECK (
    num_nulls(acknowledged_until, acknowledged_by, acknowledged_at) IN (0, 3));
-- With the new columns.
DROP VIEW renewals_seen;
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;

-- A rung may have several messages: 0 is the alert itself. What the version before cannot write of an outcome meanwhile, for
-- want of the key it knows, comes to its queue again and is taken by this one.
ALTER TABLE alert_outcomes DROP CONSTRAINT alert_outcomes_renewal_id_due_date_rung_fkey;
ALTER TABLE alert_outcomes DROP CONSTRAINT alert_outcomes_pkey;
ALTER TABLE alerts DROP CONSTRAINT alerts_pkey;
ALTER TABLE alerts ADD COLUMN step text COLLATE "C" NOT NULL DEFAULT '0';
ALTER TABLE alert_outcomes ADD COLUMN step text COLLATE "C" NOT NULL DEFAULT '0';
ALTER TABLE alerts ADD CONSTRAINT alerts_pkey PRIMARY KEY (renewal_id, due_date, rung, step);
ALTER TABLE alert_outcomes ADD CONSTRAINT alert_outcomes_pkey PRIMARY KEY (renewal_id, due_date, rung, step, channel);
ALTER TABLE alert_outcomes ADD CONSTRAINT alert_outcomes_of_alert
  FOREIGN KEY (renewal_id, due_date, rung, step) REFERENCES alerts;

ALTER TABLE linked_messages
  ADD COLUMN automatic boolean NOT NULL DEFAULT false,
  -- Of its renewal when it was linked to that. Null: heard of before answers held anything.
  ADD COLUMN renewal_version integer;
