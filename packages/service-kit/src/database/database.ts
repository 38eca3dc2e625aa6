import { execute } from '@ops/bus/sql';
import { isOutdatedPlan, transact } from '@ops/bus/transaction';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Logger } from '../observing/logger.ts';
import { beginQuery } from '../observing/query-span.ts';
import { isLostConnection, isRetryable } from './database-errors.ts';
import { createPreparedStatements } from './prepared-statements.ts';

export { execute, firstRow, oneRow, rows } from '@ops/bus/sql';

export type Db = Knex;
export type Trx = Knex.Transaction;

/** Longer than the server's own limits (see provision.ts): it ends only what a dead link would leave hanging. */
const clientQueryTimeoutMs = 45_000;
const connectTimeoutMs = 5_000;

export interface DatabaseOptions {
  applicationName: string;
  max?: number;
  /** Off behind a pooler that knows no prepared statements. */
  prepared?: boolean;
  /** Hears of connections that broke while they were idle. */
  logger?: Logger;
}

/**
 * A pool of connections. `min: 0` lets dead sockets go; keepalive and the query time-out find a link that died
 * silently; `compileSqlOnError: false` keeps the values of a failed statement, and so what customers wrote, out of
 * error messages and logs.
 */
export function openDatabase(url: string, options: DatabaseOptions): Db {
  const db = knex({
    client: 'pg',
    compileSqlOnError: false,
    acquireConnectionTimeout: 10_000,
    log: knexLog(options.logger),
    connection: {
      connectionString: url,
      application_name: options.applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: clientQueryTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: { getTypeParser },
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: options.max ?? 10, idleTimeoutMillis: 30_000, afterCreate: queryWatch(options) },
  });
  return db;
}

/** knex would write to the console, past the log. */
function knexLog(logger: Logger | undefined): Knex.Logger {
  const note = (message: unknown) => logger?.warn({ reason: String(message) }, 'a message of the database driver');
  return { warn: note, error: note, deprecate: note, debug: () => {} };
}

const dateType = 1082;
const dateArrayType = 1182;
const textArrayType = 1009;

/** Dates are plain dates here, never instants: pg would turn them into a Date at local midnight. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === dateType) return (value) => value;
  return pg.types.getTypeParser(oid === dateArrayType ? textArrayType : oid, format as 'text');
}

interface PooledConnection extends pg.Client {
  /** knex's own mark of a connection that must not be handed out again. */
  __knex__disposed?: unknown;
}

type QueryCallback = (error: Error | null, result?: pg.QueryResult) => void;

/** The one place every query of a pool passes: names what comes again, and looks at what it came to before knex does. */
function queryWatch({ prepared = true }: DatabaseOptions) {
  const statements = createPreparedStatements();
  return (connection: PooledConnection, done: (error: null, connection: pg.Client) => void): void => {
    const query = connection.query.bind(connection) as (...all: unknown[]) => unknown;
    const watched = (config: unknown, ...rest: unknown[]): unknown => {
      const last = rest.pop();
      if (typeof last !== 'function') return query(config, ...rest, last);
      const callback = last as QueryCallback;
      const end = beginQuery(config);
      const asked = prepared ? statements.named(connection, config) : config;
      return query(asked, ...rest, (error: Error | null, result: pg.QueryResult) => {
        end(error);
        if (isOutdatedPlan(error)) {
          statements.renew();
          // Within a transaction the statement alone cannot run again: `inTransaction` runs all of it again.
          if (connection.getTransactionStatus() === 'I') return void watched(config, ...rest, callback);
        }
        discardWhenUseless(connection, error);
        callback(error, result);
      });
    };
    connection.query = watched as typeof connection.query;
    done(null, connection);
  };
}

/**
 * Never hand out again what is dead, though its socket may not know yet, nor what a query timed out on: the answer may
 * still be under way.
 */
function discardWhenUseless(connection: PooledConnection, error: Error | null): void {
  if (error?.message === 'Query read timeout' || isLostConnection(error)) connection.__knex__disposed = error;
}

const mostTries = 5;

/**
 * One transaction. Runs again when Postgres asks for it (serialization failure, deadlock), so `work` must not reach
 * outside; and when the pooled connection had died before `work` began, as all of them have after a restart.
 */
export async function inTransaction<T>(db: Db, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let begun = false;
    try {
      return await transact(db, async (trx) => {
        // knex comes here even when its BEGIN failed.
        begun = !trx.isCompleted();
        if (!begun) throw new Error('the transaction did not begin');
        return work(trx);
      });
    } catch (error) {
      const mayRunAgain = isRetryable(error) || (!begun && isLostConnection(error));
      if (!mayRunAgain || attempt >= mostTries) throw error;
    }
  }
}

/** The server ends a transaction that says nothing for too long. */
export async function stayAwake(trx: Trx): Promise<void> {
  await execute(trx, 'SELECT 1');
}

/** Reads, so that nothing happens twice when it runs again because its pooled connection turned out to be dead. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isLostConnection(error) || attempt >= mostTries) throw error;
    }
  }
}
