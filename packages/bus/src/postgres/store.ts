import type { Pool } from 'pg';
import type { OutgoingMessage, QueueSpec, Route } from '../port.ts';
import { taskOf } from './names.ts';

/** What a job carries: events of one queue that were published together, in order. */
export interface Parcel {
  attempt: number;
  waits?: number | undefined;
  event: unknown;
}

/** graphile-worker's own limit of tries is out of the way: retries are counted by us, deliveries by its `attempts`. */
const noLimit = 32_767;

/**
 * One statement, so a call is published wholly or not at all: routes each event to the queues bound to its type,
 * packs what falls to one queue into jobs of at most its batch, and tells the taps.
 *
 * The order is kept by `run_at`, the one thing jobs are fetched by: now plus a microsecond for each message. A message
 * takes longer than that to insert, so the next call of this process begins later, and none is due in the future.
 *
 * Answers the positions (from 1) of messages that name a queue nobody has registered.
 */
const publishSql = `
  with incoming as materialized (
    select n, type, event, queue
      from unnest($2::text[], $3::text[], $4::text[]) with ordinality as message (type, event, queue, n)
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
    select count(*) as jobs
      from bus.add_jobs(array(
        select row(
                 case when $1 = '' then queue else $1 || '.' || queue end, ('[' || parcels || ']')::json, null,
                 now() + n * interval '1 microsecond', ${noLimit}, null, 0, null
               )::bus.job_spec
          from jobs
         order by n
      ))
  ), told as (
    select count(pg_notify($5, note)) as notes from unnest($6::text[]) as note
  )
  select array(
    select n::integer from incoming
     where queue is not null
       and not exists (
         select from bus.queues as registered where registered.namespace = $1 and registered.name = incoming.queue
       )
  ) as unroutable
    from added, told`;

export async function publishJobs(
  pool: Pool,
  namespace: string,
  messages: readonly OutgoingMessage[],
  tap: { channel: string; notes: string[] },
): Promise<OutgoingMessage[]> {
  const { rows } = await pool.query<{ unroutable: number[] }>(publishSql, [
    namespace,
    messages.map(({ event }) => event.type),
    messages.map(({ event }) => JSON.stringify(event)),
    messages.map(({ queue }) => queue ?? null),
    tap.channel,
    tap.notes,
  ]);
  return (rows[0]?.unroutable ?? []).map((n) => messages[n - 1] as OutgoingMessage);
}

export interface Retry extends Parcel {
  afterMs: number;
}

/** Each comes again in a job of its own, when its time has come. */
export async function addRetries(
  pool: Pool,
  namespace: string,
  queue: string,
  retries: readonly Retry[],
): Promise<void> {
  await pool.query(
    `select count(*)
       from bus.add_jobs(array(
         select row($1, parcel::json, null, now() + after_ms * interval '1 millisecond', ${noLimit}, null, 0, null)::bus.job_spec
           from unnest($2::text[], $3::bigint[]) as retry (parcel, after_ms)
       ))`,
    [
      taskOf(namespace, queue),
      retries.map(({ afterMs: _, ...parcel }) => JSON.stringify([parcel satisfies Parcel])),
      retries.map(({ afterMs }) => afterMs),
    ],
  );
}

/** Bindings the topology no longer names are taken off. */
export async function registerQueue(pool: Pool, namespace: string, spec: QueueSpec): Promise<void> {
  await pool.query(
    `with registered as (
       insert into bus.queues as queue (namespace, name, batch)
       values ($1, $2, $3)
       on conflict (namespace, name) do update set batch = excluded.batch
     ), removed as (
       delete from bus.bindings where namespace = $1 and queue = $2 and type <> all($4::text[])
     )
     insert into bus.bindings (namespace, type, queue)
     select $1, type, $2 from unnest($4::text[]) as type
     on conflict do nothing`,
    [namespace, spec.name, spec.batch, spec.bindings],
  );
}

export async function missingRoutes(pool: Pool, namespace: string, routes: readonly Route[]): Promise<Route[]> {
  const { rows } = await pool.query<Route>(
    `select type, queue from unnest($2::text[], $3::text[]) as wanted (type, queue)
      where not exists (
        select from bus.bindings as bound
         where bound.namespace = $1 and bound.type = wanted.type and bound.queue = wanted.queue)`,
    [namespace, routes.map(({ type }) => type), routes.map(({ queue }) => queue)],
  );
  return rows;
}
