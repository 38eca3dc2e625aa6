import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import type { BusLogger } from '../logger.ts';
import { busMigrations } from '../migrations.ts';
import type { Bus } from '../port.ts';
import { connectPostgres } from '../postgres/adapter.ts';
import { connectRabbitMq } from '../rabbitmq/adapter.ts';
import { execute } from '../sql.ts';

/** Where a bus is and whose it is: plain data, so that a child process can be told. */
export interface BusSettings {
  amqpUrl?: string;
  databaseUrl: string;
  namespace: string;
  deliveryLimit?: number;
}

/** What a test works with; everything opened through it is closed with it. */
export interface World {
  settings: BusSettings;
  db: Knex;
  bus(): Promise<Bus>;
  /** A bus on the same broker in another namespace. */
  stranger(): Promise<Bus>;
  /** Called by the suite after each test. */
  close(): Promise<void>;
}

/** A broker and a database that a test may kill. They go down together where they are one. */
export interface OwnNodeWorld extends World {
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** One kind of broker, as the suite needs it. */
export interface Adapter {
  name: string;
  world(options?: { deliveryLimit?: number }): Promise<World>;
  ownNodeWorld(): Promise<OwnNodeWorld>;
  /** After the last test. */
  close(): Promise<void>;
}

const quiet = () => undefined;
export const silent: BusLogger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Like `connectBus`, but looking more often for what has come due, so that tests do not wait for seconds. */
export async function openBus({ amqpUrl, databaseUrl, namespace, deliveryLimit = 50 }: BusSettings): Promise<Bus> {
  const common = { namespace, service: 'comms-service', logger: silent, deliveryLimit };
  if (amqpUrl !== undefined) return connectRabbitMq({ ...common, url: amqpUrl, confirmTimeoutMs: 5_000 });
  const tapTypes = ['customer.changed'];
  return connectPostgres({ ...common, url: databaseUrl, tapTypes, pollMs: 50, reapMs: 200, unheardMs: 1_000 });
}

export const newNamespace = (): string => `t${randomBytes(5).toString('hex')}`;

export const openDb = (url: string): Knex =>
  knex({
    client: 'pg',
    connection: { connectionString: url, keepAlive: true },
    pool: { min: 0, max: 10 },
    // Tests kill their databases; knex would tell the console of each connection.
    log: { debug: quiet, warn: quiet, error: quiet, deprecate: quiet },
  });

/** The tables of the bus in the schema of this role, and one for what handlers do. */
export async function createTables(db: Knex): Promise<void> {
  for (const file of (await readdir(busMigrations)).sort())
    await execute(db, await readFile(new URL(file, busMigrations), 'utf8'));
  await execute(
    db,
    `CREATE TABLE effects (
       position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
       queue text NOT NULL, event_id text NOT NULL, subject text NOT NULL, version integer NOT NULL
     )`,
  );
}

export async function emptyTables(db: Knex): Promise<void> {
  await execute(db, 'TRUNCATE outbox, outbox_lease, inbox, dead_letters, effects');
}

/** Opens buses and closes those a test left open. */
export function busOpener(settings: BusSettings) {
  const opened: Bus[] = [];
  const open = async (namespace: string) => {
    const bus = await openBus({ ...settings, namespace });
    opened.push(bus);
    return bus;
  };
  const strangers = newNamespace();
  return {
    strangers,
    bus: () => open(settings.namespace),
    stranger: () => open(strangers),
    closeAll: () => Promise.all(opened.map((bus) => bus.close())),
  };
}
