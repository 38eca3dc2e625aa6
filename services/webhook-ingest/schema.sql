-- The schema `ingest` as its migrations leave it, beside what every service has (packages/service-kit/schema.sql).

CREATE OR REPLACE FUNCTION utc_text(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN to_char((at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text);

CREATE TABLE deliveries (
  id uuid NOT NULL,
  provider text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  replay_key text COLLATE "C",
  path text NOT NULL,
  content_type text,
  body bytea,
  size integer NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  reason text,
  items integer NOT NULL,
  repeats integer NOT NULL DEFAULT 0,
  received_at timestamp with time zone NOT NULL,
  processed_at timestamp with time zone NOT NULL,
  redacted_at timestamp with time zone,
  held_until timestamp with time zone,
  CONSTRAINT deliveries_check CHECK (((body IS NULL) = (redacted_at IS NOT NULL))),
  CONSTRAINT deliveries_outcome_check CHECK ((outcome = ANY (ARRAY['processed'::text, 'partly'::text, 'not_understood'::text, 'duplicate'::text]))),
  CONSTRAINT deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT deliveries_fingerprint UNIQUE (provider, fingerprint),
  CONSTRAINT deliveries_replay_key UNIQUE (provider, replay_key)
);
CREATE INDEX deliveries_not_processed ON deliveries (outcome, id) WHERE (outcome <> 'processed'::text);
CREATE INDEX deliveries_of_provider ON deliveries (provider, id);
CREATE INDEX deliveries_to_redact ON deliveries (received_at) WHERE (redacted_at IS NULL);

CREATE TABLE items (
  id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  position integer NOT NULL,
  provider text COLLATE "C" NOT NULL,
  account text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  outcome text NOT NULL,
  reason text,
  CONSTRAINT items_outcome_check CHECK ((outcome = ANY (ARRAY['published'::text, 'not_understood'::text]))),
  CONSTRAINT items_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(id),
  CONSTRAINT items_pkey PRIMARY KEY (id),
  CONSTRAINT items_once UNIQUE (provider, account, kind, external_id, status)
);
CREATE INDEX items_of_delivery ON items (delivery_id, "position");

CREATE TABLE parts (
  id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  role text NOT NULL,
  name text,
  media_type text NOT NULL,
  content_id text,
  bytes bytea NOT NULL,
  CONSTRAINT parts_role_check CHECK ((role = ANY (ARRAY['file'::text, 'html'::text, 'original'::text]))),
  CONSTRAINT parts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(id),
  CONSTRAINT parts_pkey PRIMARY KEY (id)
);
CREATE INDEX parts_of_delivery ON parts (delivery_id);
