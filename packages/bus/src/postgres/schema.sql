-- What the broker knows of queues, beside the tables of graphile-worker in the same schema, and who may do what there. Safe to run
-- again. Whoever is a member of the owner may do everything, and so may the owner of a database without roles.
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

-- Which service a role is.
create table if not exists bus.accounts (
  role name primary key,
  service text not null
);

-- Who may tell of what.
create table if not exists bus.publishers (
  type text not null,
  service text not null,
  primary key (type, service)
);

-- These functions run as the owner, and so does what they ask for: whoever uses them may do that alone.

-- The service that asks; null for whoever may do everything.
create or replace function bus.asking() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case when not pg_has_role(session_user, current_user, 'member')
              then coalesce((select service from bus.accounts where role = session_user), '') end
$$;

create or replace function bus.is_own(queue text, service text) returns boolean language sql immutable as $$
  select service is null or starts_with(queue, service || ':')
$$;

create or replace function bus.refuse(what text) returns void language plpgsql as $$
begin
  raise insufficient_privilege using message = format('%s may not %s', session_user, what);
end
$$;

-- The queues of whoever asks, as graphile-worker counts them.
create or replace function bus.own_tasks() returns setof integer
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id from bus._private_tasks, bus.asking() as service
   where bus.is_own(regexp_replace(identifier, '^.*\.', ''), service)
$$;

-- As whoever reads it will: of a name that is given twice the last counts. JSON may hold what text may not, halves of characters and
-- none at all; whatever stands for them takes as much room, so that the string ends where it did.
create or replace function bus.type_of(event text) returns text language sql immutable as $$
  select case when strpos(event, '\u') = 0 then event
              else regexp_replace(event, '\\u(0000|[dD][89a-fA-F]..)', '\\u0001', 'g') end::json ->> 'type'
$$;

-- publish(namespace, events, queues, channel, notes): wholly or not at all. Routes each event to the queues bound to its type, packs
-- what falls to one queue into jobs of at most its batch, and tells the taps. Of an event its publisher alone may tell, and a message
-- that names its queue comes from that queue's service.
--
-- The order is kept by `run_at`, the one thing jobs are fetched by: now plus a microsecond for each message. A message takes longer
-- than that to insert, so the next call of this process begins later, and none is due in the future.
--
-- Answers the positions (from 1) of messages that name a queue nobody has registered.
create or replace function bus.publish(text, text[], text[], text, text[]) returns integer[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  asker text := bus.asking();
  refused text;
  unroutable integer[];
begin
  if asker is not null then
    select coalesce('write to ' || queue, 'tell of ' || type) into refused
      from (select bus.type_of(event) as type, queue from unnest($2, $3) as message (event, queue)) as message
     where not case when queue is not null then bus.is_own(queue, asker)
                    else exists (select from bus.publishers as p where p.type = message.type and p.service = asker) end
     limit 1;
    if refused is not null then perform bus.refuse(refused); end if;
  end if;

  with incoming as materialized (
    select n, bus.type_of(event) as type, event, queue
      from unnest($2, $3) with ordinality as message (event, queue, n)
  ), routed as (
    select bound.queue, incoming.n, incoming.event
      from incoming
      join bus.bindings as bound on bound.namespace = $1 and bound.type = incoming.type
     where incoming.queue is null
    union all
    select queue, n, event from incoming where queue is not null
  ), numbered as (
    select registered.name as queue, routed.n, routed.event,
           (row_number() over (partition by registered.name order by routed.n) - 1) / registered.batch as job
      from routed
      join bus.queues as registered on registered.namespace = $1 and registered.name = routed.queue
  ), jobs as (
    select queue, min(n) as n, string_agg('{"attempt":1,"event":' || event || '}', ',' order by n) as parcels
      from numbered
     group by queue, job
  ), added as (
    select count(*) from bus.add_jobs(array(
      select bus.job($1, queue, ('[' || parcels || ']')::json, now() + n * interval '1 microsecond') from jobs order by n
    ))
  ), told as (
    select count(pg_notify($4, note)) from unnest($5) as note
  )
  select array(
    select n::integer from incoming
     where queue is not null
       and not exists (select from bus.queues as registered where registered.namespace = $1 and registered.name = queue)
  ) into unroutable from added, told;
  return unroutable;
end
$$;

-- graphile-worker's own limit of tries is out of the way: retries are counted by us, deliveries by its `attempts`.
create or replace function bus.job(namespace text, queue text, payload json, run_at timestamptz) returns bus.job_spec
language sql stable as $$
  select row(case when namespace = '' then queue else namespace || '.' || queue end, payload, null, run_at, 32767, null, 0, null)
         ::bus.job_spec
$$;

-- Each parcel comes again in a job of its own, when its time has come.
create or replace function bus.put_off(text, text, text[], bigint[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not bus.is_own($2, bus.asking()) then perform bus.refuse('write to ' || $2); end if;
  perform from bus.add_jobs(array(
    select bus.job($1, $2, parcel::json, now() + after_ms * interval '1 millisecond')
      from unnest($3, $4) as retry (parcel, after_ms)
  ));
end
$$;

-- register(namespace, queue, batch, types): what is bound to it and not named is taken off.
create or replace function bus.register(text, text, integer, text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not bus.is_own($2, bus.asking()) then perform bus.refuse('register ' || $2); end if;
  insert into bus.queues as queue (namespace, name, batch) values ($1, $2, $3)
    on conflict (namespace, name) do update set batch = excluded.batch where queue.batch <> excluded.batch;
  delete from bus.bindings where namespace = $1 and queue = $2 and type <> all ($4);
  insert into bus.bindings (namespace, type, queue) select $1, type, $2 from unnest($4) as type on conflict do nothing;
end
$$;

-- graphile-worker takes jobs by itself: of its queues a service sees and changes all, of others nothing.
do $$ begin
  if not exists (select from pg_policies where schemaname = 'bus' and policyname = 'own_jobs') then
    create policy own_jobs on bus._private_jobs using (task_id = any (array(select bus.own_tasks())));
    create policy tasks on bus._private_tasks using (true);
    create policy named_queues on bus._private_job_queues using (true);
  end if;
end $$;
