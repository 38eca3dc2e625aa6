-- Messages a consumer gave up on. `body` is JSON as text: whatever arrived can be kept, even what Postgres' JSON refuses.
create table dead_letters (
  id uuid primary key,
  queue text not null,
  event_id text not null,
  event_type text not null,
  subject text not null,
  body text not null,
  attempts integer not null,
  error text not null,
  failed_at timestamptz not null default now(),
  replayed_at timestamptz
);

-- A message waits here once, however often its copies fail.
create unique index dead_letters_waiting on dead_letters (queue, event_id) where replayed_at is null;
