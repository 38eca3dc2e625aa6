-- How long everything is kept, and what was removed when.

-- One row. Days by what is kept; a change is a new version.
CREATE TABLE retention_policy (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  keep_days jsonb NOT NULL,
  version integer NOT NULL,
  updated_at timestamptz NOT NULL,
  updated_by text
);
-- 2,557 days are seven years with their leap days.
INSERT INTO retention_policy (keep_days, version, updated_at) VALUES (
  '{"MESSAGING_APP": 2557, "EMAIL": 2557, "SMS": 2557, "CALL_LOG": 2557, "INTERNAL_NOTE": 2557,
    "RAW_WEBHOOK_PAYLOAD": 90, "SERVICE_ROW": 30}', 1, now());

CREATE TABLE retention_runs (
  id uuid PRIMARY KEY,
  dry_run boolean NOT NULL,
  -- Null: nobody, it was the time of day.
  started_by text,
  -- The time of day it was for: of several replicas one runs.
  slot timestamptz UNIQUE,
  status text NOT NULL CHECK (status IN ('completed', 'failed')),
  as_of timestamptz NOT NULL,
  places jsonb NOT NULL,
  failure text,
  finished_at timestamptz NOT NULL
);

-- What a run looks for, each without reading what it leaves alone.
CREATE INDEX communications_to_redact ON communications (type, occurred_at) WHERE redacted_at IS NULL;
CREATE INDEX message_changes_by_age ON message_changes (type, at);
