-- When the firm works: one row, there from the start.
CREATE TABLE calendar (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  working_days jsonb NOT NULL,
  hours jsonb NOT NULL,
  country text COLLATE "C",
  region text COLLATE "C",
  holidays jsonb NOT NULL DEFAULT '[]',
  answer_within_hours integer NOT NULL,
  version integer NOT NULL DEFAULT 1,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by text
);
INSERT INTO calendar (working_days, hours, answer_within_hours) VALUES (
  '["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"]', '{"from": "08:00", "until": "18:00"}', 8
);

-- Why a message waits until `send_after`; nothing is said of what was decided before.
ALTER TABLE alert_actions ADD COLUMN send_after_reason jsonb;

-- When an alert's task is due by itself, so that a date which a person gave it is told apart; null of tasks of the version
-- before, which were due with their renewal.
ALTER TABLE tasks ADD COLUMN due_by_itself date;
