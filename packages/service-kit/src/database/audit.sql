-- Who changed what in a service, which adds to it and reads it and owns none of it. Safe to run again.

CREATE TABLE IF NOT EXISTS audit (
  id uuid PRIMARY KEY,
  -- Not when its transaction began: rows of one thing are in the order in which its changes took turns.
  at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor text NOT NULL,
  role text NOT NULL,
  client text,
  request_id text NOT NULL,
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text NOT NULL,
  customer_id text,
  -- Of each field a salted digest of its old and its new value: what was written can be proven after the values are gone.
  digests jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS audit_of_subject ON audit (subject_kind, subject_id, at, id);
CREATE INDEX IF NOT EXISTS audit_at ON audit (at);

-- Beside the row, so that an erasure takes them and leaves it.
CREATE TABLE IF NOT EXISTS audit_values (
  audit_id uuid PRIMARY KEY REFERENCES audit ON DELETE CASCADE,
  salt text NOT NULL,
  changes jsonb NOT NULL
);

-- The only way a row goes. Seven years are the least that can be asked for, so what is younger stays whoever calls.
CREATE OR REPLACE FUNCTION remove_audit(ids uuid[]) RETURNS void LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
  DELETE FROM audit WHERE id = ANY (ids) AND at < now() - interval '2557 days';
END;
REVOKE ALL ON FUNCTION remove_audit FROM public;
