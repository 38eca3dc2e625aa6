-- What comes in from providers: senders nobody could place yet, what a message answers, what its sender made of it
-- later, and who asked not to be written to by machines.

-- When it came into the log it is in now: linked or refiled later than it was written. Null: when it was written.
ALTER TABLE communications ADD filed_at timestamptz;
-- For finding the alert a reply belongs to.
CREATE INDEX communications_about_renewals ON communications (customer_id, type, occurred_at DESC)
  WHERE direction = 'OUTBOUND' AND renewal_id IS NOT NULL;

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

-- Which link taught us an identifier; taking the link back makes us forget it. Null: an identified message did.
ALTER TABLE identifiers ADD link_id uuid;
CREATE INDEX identifiers_of_link ON identifiers (link_id) WHERE link_id IS NOT NULL;

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
