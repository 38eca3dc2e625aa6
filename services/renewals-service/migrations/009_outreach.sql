-- What follows the alert that fired last, as the alert plan had it that night. It stays when it is over, until the next one.
ALTER TABLE renewals ADD COLUMN sequence jsonb;
-- Of one whose newest alert met a customer whom nobody had described: whether somebody has since.
ALTER TABLE renewals ADD COLUMN known_after_alert boolean;
DROP VIEW renewals_seen;
CREATE VIEW renewals_seen AS
  SELECT r.*, CASE WHEN r.closed_at IS NULL
                   THEN r.due_date - coalesce((SELECT f.as_of FROM refreshed f), r.created_on) END AS days_until_due
  FROM renewals r;

-- Why a step that follows an alert did not go.
ALTER TABLE alerts ADD COLUMN because text COLLATE "C";

-- The alert plan as notifier last told of it, as far as steps follow alerts: one row, as it is installed until then.
CREATE TABLE followed_alert_plan (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  outreach jsonb NOT NULL,
  version integer NOT NULL DEFAULT 0
);
INSERT INTO followed_alert_plan (outreach) VALUES (
  '{"60": [{"after_days": 7, "channels": ["EMAIL"], "task": null},
           {"after_days": 14, "channels": ["MESSAGING_APP", "SMS"], "task": null},
           {"after_days": 21, "channels": [], "task": "NORMAL"}]}'
);
