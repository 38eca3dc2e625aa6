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
  kind text NOT NULL CHECK (kind IN ('phone', 'email')),
  value text COLLATE "C" NOT NULL,
  -- Part of the key: what was learned from messages outlives what the firm gives and takes back.
  source text NOT NULL CHECK (source IN ('given', 'learned')),
  position integer NOT NULL,
  PRIMARY KEY (customer_id, kind, value, source)
);
CREATE INDEX identifiers_by_value ON identifiers (kind, value);

CREATE TABLE communications (
  id uuid PRIMARY KEY,
  customer_id text COLLATE "C" NOT NULL REFERENCES customers,
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
  provider_message_id text,
  failure jsonb,
  struck boolean NOT NULL DEFAULT false,
  send_after timestamptz,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz,
  created_at timestamptz NOT NULL,
  CHECK ((direction = 'INTERNAL') = (type IN ('INTERNAL_NOTE', 'CALL_LOG'))),
  CHECK (direction = 'INBOUND' OR NOT unread),
  CHECK (NOT struck OR direction = 'INTERNAL')
);
CREATE INDEX communications_in_list_order ON communications (customer_id, occurred_at DESC, id DESC);
CREATE INDEX communications_of_a_type ON communications (customer_id, type, occurred_at DESC, id DESC);
-- Holds the unread records alone: counting them is reading this index, however long the log is.
CREATE INDEX communications_unread ON communications (customer_id, occurred_at DESC, id DESC) WHERE unread;

-- Who changed what was logged, and what it was before.
CREATE TABLE communication_history (
  id uuid PRIMARY KEY,
  communication_id uuid NOT NULL REFERENCES communications,
  change text NOT NULL CHECK (change IN ('moved', 'struck')),
  actor text NOT NULL,
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
