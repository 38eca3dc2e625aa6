-- Stands for service-kit/001_idempotency_keys.sql 16d7249c7024ea5bfe38cd324dfa3a8240dc4beeec344421c7f9e2215d3cf241

-- Answers to POST requests that carried an Idempotency-Key, kept for 24 hours beside the effects they report.
CREATE TABLE idempotency_keys (
  subject text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  -- Filled in the transaction that inserts the row: nobody else ever sees them empty.
  status smallint,
  headers jsonb,
  -- The exact text: a repeat gets the same bytes.
  body text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (subject, method, path, key)
);

-- For the purge.
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
