-- Stands for all up to webhook-ingest/002_deliveries.sql 641d982e707d9e441b9838db7d0a6692520ce525c8396cd444b8869dc320b4c3

COMMENT ON SCHEMA ingest IS 'Raw provider deliveries and what they were normalised to; webhook-ingest alone reads and writes it';

-- What providers posted, byte for byte, what was found in it, and the large parts of it that wait to be pulled.

-- RFC 3339 to the microsecond. A JavaScript Date would cut three digits off.
CREATE FUNCTION utc_text(at timestamptz) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

CREATE TABLE deliveries (
  id uuid PRIMARY KEY,
  provider text COLLATE "C" NOT NULL,
  -- Of path and body: the same bytes again are the same delivery, and change nothing but `repeats`.
  fingerprint bytea NOT NULL,
  replay_key text COLLATE "C",
  path text NOT NULL,
  content_type text,
  -- NULL once it has had its time.
  body bytea,
  size integer NOT NULL,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('processed', 'partly', 'not_understood', 'duplicate')),
  reason text,
  items integer NOT NULL,
  repeats integer NOT NULL DEFAULT 0,
  received_at timestamptz NOT NULL,
  processed_at timestamptz NOT NULL,
  redacted_at timestamptz,
  CHECK ((body IS NULL) = (redacted_at IS NOT NULL)),
  CONSTRAINT deliveries_fingerprint UNIQUE (provider, fingerprint),
  CONSTRAINT deliveries_replay_key UNIQUE (provider, replay_key)
);
CREATE INDEX deliveries_of_provider ON deliveries (provider, id);
CREATE INDEX deliveries_with_outcome ON deliveries (outcome, id);
CREATE INDEX deliveries_to_redact ON deliveries (received_at) WHERE redacted_at IS NULL;

-- Kept for good, since they hold no words: whatever a provider sends again, however late, is taken once.
CREATE TABLE items (
  id uuid PRIMARY KEY,
  delivery_id uuid NOT NULL REFERENCES deliveries,
  position integer NOT NULL,
  provider text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  -- Of a receipt: DELIVERED and READ of one message are two items. Empty for what has none.
  status text COLLATE "C" NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('published', 'not_understood')),
  reason text,
  CONSTRAINT items_once UNIQUE (provider, account, kind, external_id, status)
);
CREATE INDEX items_of_delivery ON items (delivery_id, position);

CREATE TABLE parts (
  id uuid PRIMARY KEY,
  delivery_id uuid NOT NULL REFERENCES deliveries,
  role text NOT NULL CHECK (role IN ('file', 'html', 'original')),
  name text,
  media_type text NOT NULL,
  content_id text,
  bytes bytea NOT NULL
);
CREATE INDEX parts_of_delivery ON parts (delivery_id);
