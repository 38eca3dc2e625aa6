-- In the schema of every service, beside its own tables.

CREATE OR REPLACE FUNCTION ends_of(what text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(SELECT DISTINCT "left"(substr(ends_of.what, n.n), 64) AS "left" FROM generate_series(1, length(ends_of.what)) n(n)));

CREATE OR REPLACE FUNCTION folded(what text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(replace(regexp_replace(lower((NORMALIZE(what, NFKD) COLLATE "und-x-icu")), '[\u0300-\u036f]+'::text, ''::text, 'g'::text), 'ß'::text, 'ss'::text), 150000);

CREATE OR REPLACE FUNCTION words_asked(what text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT (string_agg((((''''::text || "left"(w.w, 64)) || ''''::text) || CASE WHEN (length(w.w) < 3) THEN ''::text ELSE ':*'::text END), ' & '::text))::tsquery AS string_agg FROM unnest(words_in(words_asked.what)) w(w));

CREATE OR REPLACE FUNCTION words_in(what text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN array_remove(string_to_array(regexp_replace((folded(what) COLLATE "und-x-icu"), '[^[:alnum:]]+'::text, ' '::text, 'g'::text), ' '::text), ''::text);

CREATE OR REPLACE FUNCTION words_of(what text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN array_to_tsvector(ARRAY(SELECT DISTINCT "left"(w.w, 64) AS "left" FROM unnest(words_in(words_of.what)) w(w)));

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

CREATE TABLE erasure_counts (
  erasure_id uuid NOT NULL,
  place text NOT NULL,
  rows bigint NOT NULL,
  CONSTRAINT erasure_counts_pkey PRIMARY KEY (erasure_id, place)
);

CREATE TABLE erasure_events (
  erasure_id uuid NOT NULL,
  event_id text NOT NULL,
  CONSTRAINT erasure_events_pkey PRIMARY KEY (erasure_id, event_id)
);

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
