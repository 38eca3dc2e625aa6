-- Events that were committed with the change they tell of, waiting for the relay or already published.
-- json, not jsonb: it keeps an event as it was written and takes the escape \u0000.
create table outbox (
  id bigint generated always as identity primary key,
  event_id text not null,
  type text not null,
  -- Given for a replay: the one queue it goes to. Otherwise every queue bound to the type.
  queue text,
  event json not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  -- Set when the broker has no such queue: a person must look.
  error text
);

-- The relay's question, answered from the waiting rows alone, however many are kept.
create index outbox_waiting on outbox (id) where published_at is null;
create index outbox_published on outbox (published_at) where published_at is not null;

-- One row: which relay of this schema is at work. Plain statements, so it holds behind a transaction-mode pooler.
create table outbox_lease (
  id smallint primary key default 1 check (id = 1),
  holder text not null,
  expires_at timestamptz not null
);
