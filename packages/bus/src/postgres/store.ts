import type { Pool } from 'pg';
import type { OutgoingMessage, QueueSpec, Route } from '../port.ts';

/** What a job carries: events of one queue that were published together, in order. */
export interface Parcel {
  attempt: number;
  waits?: number | undefined;
  event: unknown;
}

export async function publishJobs(
  pool: Pool,
  namespace: string,
  messages: readonly OutgoingMessage[],
  tap: { channel: string; notes: string[] },
): Promise<OutgoingMessage[]> {
  const { rows } = await pool.query<{ unroutable: number[] }>('SELECT bus.publish($1, $2, $3, $4, $5) AS unroutable', [
    namespace,
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

export async function addRetries(
  pool: Pool,
  namespace: string,
  queue: string,
  retries: readonly Retry[],
): Promise<void> {
  await pool.query('SELECT bus.put_off($1, $2, $3, $4)', [
    namespace,
    queue,
    retries.map(({ afterMs: _, ...parcel }) => JSON.stringify([parcel satisfies Parcel])),
    retries.map(({ afterMs }) => afterMs),
  ]);
}

export async function registerQueue(pool: Pool, namespace: string, spec: QueueSpec): Promise<void> {
  await pool.query('SELECT bus.register($1, $2, $3, $4)', [namespace, spec.name, spec.batch, spec.bindings]);
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
