import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '../observing/logger.ts';
import { withinTime } from '../within-time.ts';
import { type Db, rows } from './database.ts';

/**
 * What an operator watches, read from the database whenever it is asked for: a restart forgets nothing, and every
 * process of a service says the same.
 */
export interface Figure {
  /** A counter never goes back. */
  kind: 'gauge' | 'counter';
  name: string;
  help: string;
  /** Columns of the statement beside `value`; of few values each, never what names a customer. */
  labels?: readonly string[];
  /** A row for each combination of labels. Answered by an index or a small table. */
  sql: string;
}

const waitedForMs = 2_000;

/** What cannot be read now is left out, so that nobody takes an old figure for a new one. */
export function registerFigures(registry: Registry, db: Db, figures: readonly Figure[], logger: Logger): void {
  for (const { kind, name, help, labels: labelNames = [], sql } of figures) {
    const options = { name, help, labelNames: [...labelNames], registers: [registry] };
    // Read first and then written at once: two that look at the same time would add up.
    const read = async () => {
      const found = await withinTime(rows<Row>(db, sql), waitedForMs).catch((error: unknown) => {
        logger.warn({ err: error, figure: name }, 'a figure could not be read');
        return [];
      });
      metric.reset();
      // A figure without labels would now show 0, though nobody read that.
      if (labelNames.length === 0) metric.remove();
      for (const { value, ...labels } of found) metric.inc(labels, Number(value));
    };
    const metric =
      kind === 'gauge' ? new Gauge({ ...options, collect: read }) : new Counter({ ...options, collect: read });
  }
}

type Row = { value: unknown } & Record<string, string>;

/** Of every service, since each has an outbox and keeps what it gave up on. */
export const sharedFigures: readonly Figure[] = [
  {
    kind: 'gauge',
    name: 'outbox_waiting_events',
    help: 'Events that were committed and not yet published',
    sql: 'SELECT count(*) AS value FROM outbox WHERE published_at IS NULL',
  },
  {
    kind: 'gauge',
    name: 'outbox_oldest_seconds',
    help: 'How long the first of them has waited',
    sql: `SELECT coalesce(extract(epoch FROM now() - (
            SELECT created_at FROM outbox WHERE published_at IS NULL ORDER BY id LIMIT 1)), 0) AS value`,
  },
  {
    kind: 'gauge',
    name: 'dead_letters_waiting',
    help: 'Messages that a consumer gave up on and nobody has replayed',
    labels: ['queue'],
    sql: 'SELECT queue, count(*) AS value FROM dead_letters WHERE replayed_at IS NULL GROUP BY queue',
  },
  {
    kind: 'gauge',
    name: 'audit_unsealed_oldest_seconds',
    help: 'How long the oldest row of who changed what has waited for its seal',
    sql: `SELECT coalesce(extract(epoch FROM now() - (
            SELECT at FROM audit WHERE NOT sealed ORDER BY at LIMIT 1)), 0) AS value`,
  },
];
