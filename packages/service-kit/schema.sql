-- In the schema of every service, beside its own tables.

CREATE TABLE dead_letters (
  id uuid NOT NULL,
  queue text NOT NULL,
  event_id text NOT NULL,
  event_type text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL,
  error text NOT NULL,
  failed_at timestamp with time zone NOT NULL DEFAULT now(),
  replayed_at timestamp with time zone,
  CONSTRAINT dead_letters_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX dead_letters_waiting ON dead_letters (queue, event_id) WHERE (replayed_at IS NULL);

CREATE TABLE idempotency_keys (
  subject text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  status smallint,
  headers jsonb,
  body text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (subject, method, path, key)
);
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);

CREATE TABLE inbox (
  queue text NOT NULL,
  event_id text NOT NULL,
  received_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT inbox_pkey PRIMARY KEY (queue, event_id)
);
CREATE INDEX inbox_received ON inbox (received_at);

CREATE TABLE migrations (
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE outbox (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  event_id text NOT NULL,
  type text NOT NULL,
  queue text,
  event json NOT NULL,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  published_at timestamp with time zone,
  error text,
  CONSTRAINT outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_published ON outbox (published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX outbox_waiting ON outbox (id) WHERE (published_at IS NULL);

CREATE TABLE outbox_lease (
  id smallint NOT NULL DEFAULT 1,
  holder text NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT outbox_lease_id_check CHECK ((id = 1)),
  CONSTRAINT outbox_lease_pkey PRIMARY KEY (id)
);
