-- What a queue of this service has taken, written in the transaction of its effects: a second copy changes nothing.
create table inbox (
  queue text not null,
  event_id text not null,
  received_at timestamptz not null default now(),
  primary key (queue, event_id)
);

create index inbox_received on inbox (received_at);
