-- What is to be sent, every try of it, and what the providers told of it.

CREATE TABLE deliveries (
  -- Goes to the provider with the message and comes back with its receipts.
  id uuid PRIMARY KEY,
  communication_id uuid NOT NULL,
  attempt integer NOT NULL,
  -- Messages of one customer on one channel leave in this order.
  position bigint GENERATED ALWAYS AS IDENTITY,
  customer_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type IN ('MESSAGING_APP', 'EMAIL', 'SMS')),
  provider text COLLATE "C" NOT NULL,
  -- The words and the recipient: here only while they wait to be sent.
  message jsonb,
  -- The request that caused it.
  trace jsonb NOT NULL,
  status text COLLATE "C" NOT NULL DEFAULT 'QUEUED' CHECK (status IN
    ('QUEUED', 'CANCELLED', 'UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ')),
  failure jsonb,
  provider_message_id text COLLATE "C",
  -- The statuses others were told of, each once.
  told text[] NOT NULL DEFAULT '{}',
  tries integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL,
  next_try_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Whose it is until when; a worker that is late finds another's claim here, and leaves it alone.
  claim uuid,
  claimed_until timestamptz,
  -- Set before the first byte leaves and cleared with what came of it: where it stays, nobody knows whether it was sent.
  on_wire_at timestamptz,
  created_at timestamptz NOT NULL,
  UNIQUE (communication_id, attempt),
  CHECK (status <> 'QUEUED' OR message IS NOT NULL)
);
CREATE INDEX deliveries_due ON deliveries (provider, next_try_at, position) WHERE status = 'QUEUED';
CREATE INDEX deliveries_in_order ON deliveries (customer_id, type, position) WHERE status = 'QUEUED';
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE status = 'QUEUED';
CREATE INDEX deliveries_on_wire ON deliveries (claimed_until) WHERE on_wire_at IS NOT NULL;
CREATE INDEX deliveries_by_provider_id ON deliveries (provider, provider_message_id)
  WHERE provider_message_id IS NOT NULL;

-- Only ever added to.
CREATE TABLE tries (
  id uuid PRIMARY KEY,
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number integer NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('accepted', 'refused', 'not_taken', 'uncertain')),
  -- A code, or a sentence of ours or of the provider's.
  reason text
);
CREATE INDEX tries_of_delivery ON tries (delivery_id);

-- Every receipt once. One that comes before its message is known waits here without a delivery.
CREATE TABLE receipts (
  item_id uuid PRIMARY KEY,
  provider text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  attempt_id uuid,
  status text NOT NULL CHECK (status IN ('SENT', 'DELIVERED', 'READ', 'FAILED')),
  failure jsonb,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  delivery_id uuid REFERENCES deliveries ON DELETE CASCADE
);
CREATE INDEX receipts_waiting ON receipts (provider, external_id) WHERE delivery_id IS NULL;
CREATE INDEX receipts_of_delivery ON receipts (delivery_id) WHERE delivery_id IS NOT NULL;
