-- Tasks about renewals as notifier last told of them; closed ones stay, so that what was said of them before is known to be old.
CREATE TABLE followed_tasks (
  task_id uuid PRIMARY KEY,
  renewal_id uuid NOT NULL,
  -- Whom it was given to itself; null: it is its renewal's owner's.
  assigned_agent text COLLATE "C",
  is_open boolean NOT NULL,
  version integer NOT NULL
);
CREATE INDEX followed_tasks_open ON followed_tasks (renewal_id) WHERE is_open;

-- How many were at risk when it was completed, without those it had just alerted. Null: it was not completed, or by the version
-- before.
ALTER TABLE refresh_runs ADD COLUMN at_risk integer;
