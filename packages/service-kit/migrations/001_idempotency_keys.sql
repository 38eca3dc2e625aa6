-- Answers to POST requests that carried an Idempotency-Key, kept for 24 hours beside the effects they report.
create table idempotency_keys (
  subject text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint text not null,
  -- Filled in the transaction that inserts the row: nobody else ever sees them empty.
  status smallint,
  headers jsonb,
  -- The exact text: a repeat gets the same bytes.
  body text,
  created_at timestamptz not null default now(),
  primary key (subject, method, path, key)
);

-- For the purge.
create index idempotency_keys_created_at on idempotency_keys (created_at);
