-- Stands for what each service that imports had of its own, up to:
-- comms-service/010_chosen_template.sql 326519c654a57c036bcee5ac6c7751f7199d3bb9bb9f214bf81078c1079e37a7
-- renewals-service/005_words_ahead.sql 74155205a22fcfbeb72d3b2c022800ef1881ad72fd4127a5ca55439918630360

-- CSV files, looked through and taken in.
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
  finished_at timestamptz,
  -- How many began to work on it since it last came forward: who dies of it cannot say so.
  claims integer NOT NULL DEFAULT 0
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
  -- As many rows are read at a time as there is room for.
  bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(cells::text)) STORED,
  PRIMARY KEY (import_id, line)
);
CREATE INDEX import_rows_to_do ON import_rows (import_id, line) WHERE outcome IN ('create', 'change');
CREATE INDEX import_rows_by_key ON import_rows (import_id, key) WHERE key IS NOT NULL;
