import type { Knex } from 'knex';
import { createTables, openDb } from '../src/conformance/world.ts';
import { createBusDatabase } from './database.ts';

/** The tables of the bus in the schema of a service's role, without a broker. */
export async function createTestSchema(): Promise<{ db: Knex; url: string; drop(): Promise<void> }> {
  const database = await createBusDatabase();
  const db = openDb(database.urls.comms);
  await createTables(db);
  return {
    db,
    url: database.urls.comms,
    async drop() {
      await db.destroy();
      await database.drop();
    },
  };
}
