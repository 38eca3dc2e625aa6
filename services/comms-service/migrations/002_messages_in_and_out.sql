-- What records need for messages that come from and go to providers, and the files that belong to them.

ALTER TABLE communications
  -- Null: an inbound message of a sender nobody could place yet. It is in no customer's log and on no timeline.
  ALTER customer_id DROP NOT NULL,
  ADD quoted text,
  ADD amendments jsonb NOT NULL DEFAULT '[]',
  -- How often staff had it sent; what became of an earlier attempt no longer changes its status.
  ADD attempt integer,
  ADD automated boolean NOT NULL DEFAULT false,
  ADD redacted_at timestamptz,
  ADD CHECK (customer_id IS NOT NULL OR direction = 'INBOUND');
UPDATE communications SET attempt = 1 WHERE direction = 'OUTBOUND';

-- Receipts, reactions and replies name a record by the provider's id.
CREATE INDEX communications_by_provider_id ON communications (provider_message_id)
  WHERE provider_message_id IS NOT NULL;
CREATE INDEX communications_failed ON communications (occurred_at DESC, id DESC)
  WHERE status IN ('FAILED', 'UNCERTAIN');

ALTER TABLE identifiers DROP CONSTRAINT identifiers_kind_check;
ALTER TABLE identifiers ADD CONSTRAINT identifiers_kind_check CHECK (kind IN ('phone', 'email', 'user_id'));

ALTER TABLE communication_history DROP CONSTRAINT communication_history_change_check;
ALTER TABLE communication_history ADD CONSTRAINT communication_history_change_check CHECK
  (change IN ('moved', 'struck', 'linked', 'unlinked', 'retried', 'resolved', 'delivery', 'redacted'));
-- Null: it happened by itself.
ALTER TABLE communication_history ALTER actor DROP NOT NULL;

-- Files: uploaded by staff to be sent, or named by a provider's message and fetched by a job of their own.
CREATE TABLE attachments (
  id uuid PRIMARY KEY,
  -- Null until the communication that names an uploaded file is written.
  communication_id uuid REFERENCES communications,
  -- Whom an uploaded file is for; null for one that came in.
  customer_id text COLLATE "C" REFERENCES customers,
  position integer NOT NULL DEFAULT 0,
  role text NOT NULL CHECK (role IN ('file', 'html', 'original')),
  name text,
  media_type text NOT NULL,
  size integer,
  content_id text,
  source text NOT NULL CHECK (source IN ('uploaded', 'ingest', 'provider')),
  provider text,
  ref text,
  state text NOT NULL CHECK (state IN ('PENDING', 'STORED', 'FAILED', 'REDACTED')),
  failure jsonb,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamptz,
  content bytea,
  created_by text,
  created_at timestamptz NOT NULL
);
CREATE INDEX attachments_of_communication ON attachments (communication_id, position) WHERE communication_id IS NOT NULL;
CREATE INDEX attachments_to_fetch ON attachments (next_try_at) WHERE state = 'PENDING';
