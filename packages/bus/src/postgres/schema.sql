-- What the broker knows of queues, beside the tables of graphile-worker in the same schema. Safe to run again.
create table if not exists bus.queues (
  namespace text not null,
  name text not null,
  -- Most messages in one job.
  batch integer not null,
  primary key (namespace, name)
);

create table if not exists bus.bindings (
  namespace text not null,
  type text not null,
  queue text not null,
  primary key (namespace, type, queue),
  foreign key (namespace, queue) references bus.queues (namespace, name)
);
