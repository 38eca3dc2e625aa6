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
  WITH incoming AS MATERIALIZED (
    SELECT n, type, event, queue
      FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS message (type, event, queue, n)
  ), routed AS (
    SELECT bound.queue, incoming.n, incoming.event
      FROM incoming
      JOIN bus.bindings AS bound ON bound.namespace = $1 AND bound.type = incoming.type
     WHERE incoming.queue IS NULL
    UNION ALL
    SELECT queue, n, event FROM incoming WHERE queue IS NOT NULL
  ), numbered AS (
    SELECT registered.name AS queue, routed.n, routed.event,
           (row_number() OVER (PARTITION BY registered.name ORDER BY routed.n) - 1) / registered.batch AS job
      FROM routed
      JOIN bus.queues AS registered ON registered.namespace = $1 AND registered.name = routed.queue
  ), jobs AS (
    SELECT queue, min(n) AS n, string_agg('{"attempt":1,"event":' || event || '}', ',' ORDER BY n) AS parcels
      FROM numbered
     GROUP BY queue, job
  ), added AS (
    SELECT count(*) AS jobs
      FROM bus.add_jobs(ARRAY(
        SELECT ROW(
                 CASE WHEN $1 = '' THEN queue ELSE $1 || '.' || queue END, ('[' || parcels || ']')::json, NULL,
                 now() + n * interval '1 microsecond', ${noLimit}, NULL, 0, NULL
               )::bus.job_spec
          FROM jobs
         ORDER BY n
      ))
  ), told AS (
    SELECT count(pg_notify($5, note)) AS notes FROM unnest($6::text[]) AS note
  )
  SELECT ARRAY(
    SELECT n::integer FROM incoming
     WHERE queue IS NOT NULL
       AND NOT EXISTS (
         SELECT FROM bus.queues AS registered WHERE registered.namespace = $1 AND registered.name = incoming.queue
       )
  ) AS unroutable
    FROM added, told`;

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
    `SELECT count(*)
       FROM bus.add_jobs(ARRAY(
         SELECT ROW($1, parcel::json, NULL, now() + after_ms * interval '1 millisecond', ${noLimit}, NULL, 0, NULL)::bus.job_spec
           FROM unnest($2::text[], $3::bigint[]) AS retry (parcel, after_ms)
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
    `WITH registered AS (
       INSERT INTO bus.queues AS queue (namespace, name, batch)
       VALUES ($1, $2, $3)
       ON CONFLICT (namespace, name) DO UPDATE SET batch = excluded.batch
     ), removed AS (
       DELETE FROM bus.bindings WHERE namespace = $1 AND queue = $2 AND type <> ALL($4::text[])
     )
     INSERT INTO bus.bindings (namespace, type, queue)
     SELECT $1, type, $2 FROM unnest($4::text[]) AS type
     ON CONFLICT DO NOTHING`,
    [namespace, spec.name, spec.batch, spec.bindings],
  );
}

export async function missingRoutes(pool: Pool, namespace: string, routes: readonly Route[]): Promise<Route[]> {
  const { rows } = await pool.query<Route>(
    `SELECT type, queue FROM unnest($2::text[], $3::text[]) AS wanted (type, queue)
      WHERE NOT EXISTS (
        SELECT FROM bus.bindings AS bound
         WHERE bound.namespace = $1 AND bound.type = wanted.type AND bound.queue = wanted.queue)`,
    [namespace, routes.map(({ type }) => type), routes.map(({ queue }) => queue)],
  );
  return rows;
}
