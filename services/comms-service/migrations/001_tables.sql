-- Stands for all up to comms-service/010_chosen_template.sql 326519c654a57c036bcee5ac6c7751f7199d3bb9bb9f214bf81078c1079e37a7

-- Customers, everything said to and by them, and their timeline.
-- Every text that is compared or sorted is COLLATE "C": its order never changes with the machine's locale or ICU version.

-- RFC 3339 to the microsecond. A JavaScript Date would cut three digits off, and a cursor would then skip or repeat rows.
CREATE FUNCTION utc_text(at timestamptz) RETURNS text
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

CREATE TABLE customers (
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  -- The name without case and accents, as it is searched and sorted.
  name_folded text COLLATE "C" NOT NULL,
  -- Bounded, so that it fits an index entry and a cursor however long the name is.
  sort_key text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(name_folded, 64)) STORED,
  locale text,
  time_zone text,
  assigned_agent text,
  preferred_channel text CHECK (preferred_channel IN ('MESSAGING_APP', 'EMAIL', 'SMS')),
  do_not_contact boolean NOT NULL,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX customers_in_list_order ON customers (sort_key, id);

-- The same identifier may belong to several customers: a family shares a phone.
CREATE TABLE identifiers (
  customer_id text COLLATE "C" NOT NULL REFERENCES customers,
  kind text NOT NULL CHECK (kind IN ('phone', 'email', 'user_id')),
  value text COLLATE "C" NOT NULL,
  -- Part of the key: what was learned from messages outlives what the firm gives and takes back.
  source text NOT NULL CHECK (source IN ('given', 'learned')),
  position integer NOT NULL,
  -- Which link taught us it; taking the link back makes us forget it. Null: an identified message did.
  link_id uuid,
  PRIMARY KEY (customer_id, kind, value, source)
);
CREATE INDEX identifiers_by_value ON identifiers (kind, value);
CREATE INDEX identifiers_of_link ON identifiers (link_id) WHERE link_id IS NOT NULL;

CREATE TABLE communications (
  id uuid PRIMARY KEY,
  -- Null: an inbound message of a sender nobody could place yet. It is in no customer's log and on no timeline.
  customer_id text COLLATE "C" REFERENCES customers,
  type text COLLATE "C" NOT NULL CHECK (type IN ('MESSAGING_APP', 'EMAIL', 'SMS', 'INTERNAL_NOTE', 'CALL_LOG')),
  direction text COLLATE "C" NOT NULL CHECK (direction IN ('INBOUND', 'OUTBOUND', 'INTERNAL')),
  subject text,
  body text NOT NULL,
  unread boolean NOT NULL,
  status text NOT NULL CHECK (status IN
    ('RECEIVED', 'LOGGED', 'QUEUED', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'UNCERTAIN', 'CANCELLED')),
  -- Whose words they are, when one of ours; who entered the record, when a person or system did.
  author text,
  created_by text,
  in_reply_to uuid,
  renewal_id uuid,
  reactions jsonb NOT NULL DEFAULT '[]',
  provider text,
  -- Compared with ids that other tables hold in this collation: with another one no index helps.
  provider_message_id text COLLATE "C",
  failure jsonb,
  struck boolean NOT NULL DEFAULT false,
  send_after timestamptz,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz,
  created_at timestamptz NOT NULL,
  quoted text,
  amendments jsonb NOT NULL DEFAULT '[]',
  -- How often staff had it sent; what became of an earlier attempt no longer changes its status.
  attempt integer,
  automated boolean NOT NULL DEFAULT false,
  redacted_at timestamptz,
  -- When it came into the log it is in now: linked or refiled later than it was written. Null: when it was written.
  filed_at timestamptz,
  -- Who wrote an inbound message, as its provider named them: where its answer goes, and what is known of them should it
  -- turn out that it was filed wrongly. Null: no provider brought it, or it was redacted.
  sender jsonb,
  -- Only a link says that its sender is this customer; it was sent after that link, and is taken back with it.
  placed_by uuid,
  -- Of a message to the messaging app: the approved template somebody chose for it. Null: none was chosen.
  template jsonb,
  CHECK ((direction = 'INTERNAL') = (type IN ('INTERNAL_NOTE', 'CALL_LOG'))),
  CHECK (direction = 'INBOUND' OR NOT unread),
  CHECK (NOT struck OR direction = 'INTERNAL'),
  CHECK (customer_id IS NOT NULL OR direction = 'INBOUND')
);
CREATE INDEX communications_in_list_order ON communications (customer_id, occurred_at DESC, id DESC);
CREATE INDEX communications_of_a_type ON communications (customer_id, type, occurred_at DESC, id DESC);
-- Holds the unread records alone: counting them is reading this index, however long the log is.
CREATE INDEX communications_unread ON communications (customer_id, occurred_at DESC, id DESC) WHERE unread;
-- Receipts, reactions and replies name a record by the provider's id.
CREATE INDEX communications_by_provider_id ON communications (provider_message_id)
  WHERE provider_message_id IS NOT NULL;
CREATE INDEX communications_failed ON communications (occurred_at DESC, id DESC)
  WHERE status IN ('FAILED', 'UNCERTAIN');
-- For finding the alert a reply belongs to.
CREATE INDEX communications_about_renewals ON communications (customer_id, type, occurred_at DESC)
  WHERE direction = 'OUTBOUND' AND renewal_id IS NOT NULL;
-- What a retention run looks for, without reading what it leaves alone.
CREATE INDEX communications_to_redact ON communications (type, occurred_at) WHERE redacted_at IS NULL;
CREATE INDEX communications_placed_by ON communications (placed_by) WHERE placed_by IS NOT NULL;

-- Who changed what was logged, and what it was before.
CREATE TABLE communication_history (
  id uuid PRIMARY KEY,
  communication_id uuid NOT NULL REFERENCES communications,
  change text NOT NULL CHECK
    (change IN ('moved', 'struck', 'linked', 'unlinked', 'retried', 'resolved', 'delivery', 'redacted')),
  -- Null: it happened by itself.
  actor text,
  at timestamptz NOT NULL,
  details jsonb NOT NULL
);
CREATE INDEX communication_history_of_record ON communication_history (communication_id, at);

-- No reference to customers: an event about a customer who is not known yet is kept for the day it is.
CREATE TABLE timeline (
  event_id text COLLATE "C" PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  communication_id uuid,
  data jsonb NOT NULL
);
CREATE INDEX timeline_in_list_order ON timeline (customer_id, occurred_at DESC, event_id DESC);
CREATE INDEX timeline_of_communication ON timeline (communication_id) WHERE communication_id IS NOT NULL;

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
-- Uploaded files that no communication came to name, so that they can be found and removed.
CREATE INDEX attachments_unused ON attachments (created_at) WHERE communication_id IS NULL;

-- A message of an unknown or ambiguous sender. It waits as long as its record has no customer.
CREATE TABLE inbound_messages (
  communication_id uuid PRIMARY KEY REFERENCES communications,
  type text COLLATE "C" NOT NULL,
  reason text NOT NULL CHECK (reason IN ('unknown', 'ambiguous')),
  sender_key text COLLATE "C" NOT NULL,
  address text NOT NULL,
  phone text,
  email text,
  user_id text,
  name text,
  name_folded text COLLATE "C",
  -- The sender's identifiers, each in the one form that all ways of writing it have in common.
  keys text[] COLLATE "C" NOT NULL,
  occurred_at timestamptz NOT NULL,
  -- The same for all that was linked at once, and is taken back at once.
  link_id uuid,
  linked_to text COLLATE "C",
  linked_by text,
  linked_at timestamptz
);
CREATE INDEX inbound_messages_waiting ON inbound_messages (occurred_at DESC, communication_id DESC)
  WHERE linked_at IS NULL;
CREATE INDEX inbound_messages_linked ON inbound_messages (occurred_at DESC, communication_id DESC)
  WHERE linked_at IS NOT NULL;
CREATE INDEX inbound_messages_of_sender ON inbound_messages (type, sender_key) WHERE linked_at IS NULL;
CREATE INDEX inbound_messages_by_key ON inbound_messages USING gin (keys) WHERE linked_at IS NULL;
CREATE INDEX inbound_messages_of_link ON inbound_messages (link_id) WHERE link_id IS NOT NULL;

-- What a message answers, the likeliest first: messages by the provider's id, a record by our reply token.
CREATE TABLE answers (
  communication_id uuid NOT NULL REFERENCES communications,
  position integer NOT NULL,
  external_id text COLLATE "C",
  record_id uuid,
  PRIMARY KEY (communication_id, position),
  CHECK ((external_id IS NULL) <> (record_id IS NULL))
);
CREATE INDEX answers_by_external_id ON answers (external_id) WHERE external_id IS NOT NULL;

-- Reactions, edits and withdrawals as they came; a record shows what they add up to. Without a record: it is not here yet.
CREATE TABLE message_changes (
  id uuid PRIMARY KEY,
  communication_id uuid REFERENCES communications,
  type text COLLATE "C" NOT NULL,
  target_external_id text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('reaction', 'edit', 'withdrawal')),
  sender text COLLATE "C" NOT NULL,
  -- The emoji or the new words; null when taken back.
  content text,
  at timestamptz NOT NULL
);
CREATE INDEX message_changes_of_record ON message_changes (communication_id) WHERE communication_id IS NOT NULL;
CREATE INDEX message_changes_parked ON message_changes (target_external_id) WHERE communication_id IS NULL;
CREATE INDEX message_changes_by_age ON message_changes (type, at);

-- Messages that were nothing but an opt-out word, or one that takes it back; the newest of a channel counts. They
-- belong to whom the message belongs to, so that linking and refiling carry them along.
CREATE TABLE opt_outs (
  communication_id uuid PRIMARY KEY REFERENCES communications,
  customer_id text COLLATE "C" REFERENCES customers,
  channel text COLLATE "C" NOT NULL,
  opted_out boolean NOT NULL,
  decided_at timestamptz NOT NULL
);
CREATE INDEX opt_outs_of_customer ON opt_outs (customer_id, channel, decided_at DESC);

-- How long everything is kept, and what was removed when.

-- One row. Days by what is kept; a change is a new version.
CREATE TABLE retention_policy (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  keep_days jsonb NOT NULL,
  version integer NOT NULL,
  updated_at timestamptz NOT NULL,
  updated_by text
);
-- 2,557 days are seven years with their leap days.
INSERT INTO retention_policy (keep_days, version, updated_at) VALUES (
  '{"MESSAGING_APP": 2557, "EMAIL": 2557, "SMS": 2557, "CALL_LOG": 2557, "INTERNAL_NOTE": 2557,
    "RAW_WEBHOOK_PAYLOAD": 90, "SERVICE_ROW": 30}', 1, now());

CREATE TABLE retention_runs (
  id uuid PRIMARY KEY,
  dry_run boolean NOT NULL,
  -- Null: nobody, it was the time of day.
  started_by text,
  -- The time of day it was for: of several replicas one runs.
  slot timestamptz UNIQUE,
  status text NOT NULL CHECK (status IN ('completed', 'failed')),
  as_of timestamptz NOT NULL,
  places jsonb NOT NULL,
  failure text,
  finished_at timestamptz NOT NULL
);
