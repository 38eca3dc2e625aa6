-- Stands for all up to bus/0003_dead_letters.sql 1b1913e70dca7435b5080fe916cf9d399db6b8a1c33ac89376d95104ef6c5e76

-- Events that were committed with the change they tell of, waiting for the relay or already published.
-- json, not jsonb: it keeps an event as it was written and takes the escape \u0000.
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id text NOT NULL,
  type text NOT NULL,
  -- Given for a replay: the one queue it goes to. Otherwise every queue bound to the type.
  queue text,
  event json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz,
  -- Set when the broker has no such queue: a person must look.
  error text
);

-- The relay's question, answered from the waiting rows alone, however many are kept.
CREATE INDEX outbox_waiting ON outbox (id) WHERE published_at IS NULL;
CREATE INDEX outbox_published ON outbox (published_at) WHERE published_at IS NOT NULL;

-- One row: which relay of this schema is at work. Plain statements, so it holds behind a transaction-mode pooler.
CREATE TABLE outbox_lease (
  id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  holder text NOT NULL,
  expires_at timestamptz NOT NULL
);

-- What a queue of this service has taken, written in the transaction of its effects: a second copy changes nothing.
CREATE TABLE inbox (
  queue text NOT NULL,
  event_id text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (queue, event_id)
);

CREATE INDEX inbox_received ON inbox (received_at);

-- Messages a consumer gave up on. `body` is JSON as text: whatever arrived can be kept, even what Postgres' JSON refuses.
CREATE TABLE dead_letters (
  id uuid PRIMARY KEY,
  queue text NOT NULL,
  event_id text NOT NULL,
  event_type text NOT NULL,
  subject text NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL,
  error text NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now(),
  replayed_at timestamptz
);

-- A message waits here once, however often its copies fail.
CREATE UNIQUE INDEX dead_letters_waiting ON dead_letters (queue, event_id) WHERE replayed_at IS NULL;
