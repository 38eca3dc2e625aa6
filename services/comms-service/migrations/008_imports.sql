-- Files of customers, looked through and taken in.
CREATE TABLE imports (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  status text NOT NULL CHECK (status IN ('CHECKING', 'CHECKED', 'RUNNING', 'COMPLETED', 'FAILED')),
  -- What was asked for besides the file.
  options jsonb NOT NULL,
  -- How the file is written, and its columns.
  layout jsonb NOT NULL,
  -- To be taken in as soon as it was looked through.
  apply boolean NOT NULL,
  counts jsonb NOT NULL,
  failure text,
  -- Who works on it, and until when that is believed.
  claim uuid,
  claimed_until timestamptz,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX imports_to_work_on ON imports (id) WHERE status IN ('CHECKING', 'RUNNING');

-- The file, until it was looked through.
CREATE TABLE import_chunks (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  n integer NOT NULL,
  content bytea NOT NULL,
  PRIMARY KEY (import_id, n)
);

CREATE TABLE import_rows (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  line integer NOT NULL,
  -- As they stood in the file.
  cells jsonb NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('create', 'change', 'unchanged', 'refused', 'created', 'changed')),
  key text COLLATE "C",
  record_id text COLLATE "C",
  errors jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (import_id, line)
);
CREATE INDEX import_rows_to_do ON import_rows (import_id, line) WHERE outcome IN ('create', 'change');
CREATE INDEX import_rows_by_key ON import_rows (import_id, key) WHERE key IS NOT NULL;
