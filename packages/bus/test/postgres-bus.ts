import type { Envelope } from '@ops/contracts/envelope';
import type { Knex } from 'knex';
import { newNamespace, openBus, openDb } from '../src/conformance/world.ts';
import type { Bus } from '../src/port.ts';
import { createBusDatabase } from './database.ts';

/** A bus of Postgres in a database of its own, and who may look at all of that. */
export interface PostgresBus {
  adminUrl: string;
  db: Knex;
  bus: Bus;
  close(): Promise<void>;
}

export async function openPostgresBus(): Promise<PostgresBus> {
  const database = await createBusDatabase();
  const db = openDb(database.adminUrl);
  const bus = await openBus({ databaseUrl: database.urls.comms, namespace: newNamespace() });
  const close = async () => {
    await bus.close();
    await db.destroy();
    await database.drop();
  };
  return { adminUrl: database.adminUrl, db, bus, close };
}

export const eventOf = (id: string): Envelope => ({
  specversion: '1.0',
  id,
  source: 'comms-service',
  type: 'customer.changed',
  subject: 'C-1',
  time: '2030-01-01T00:00:00Z',
  data: { customer_id: 'C-1' },
});
