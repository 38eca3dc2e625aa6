import { type Db, openDatabase } from '@ops/service-kit/database';
import { createTestDatabase, type TestDatabase } from '@ops/test-system/database';
import { addCustomers } from '../traffic.ts';
import type { Undo } from '../undo.ts';

export interface FloorTables {
  database: TestDatabase;
  ingest: Db;
  comms: Db;
}

/** A floor writes into tables of its own, that the services' migrations made: with the same indexes, references and triggers. */
export async function openTables(undo: Undo): Promise<FloorTables> {
  const database = await createTestDatabase();
  undo.add(database.drop);
  const open = (url: string) => openDatabase(url, { applicationName: 'bench', max: 2 });
  const [ingest, comms] = [open(database.urls.ingest), open(database.urls.comms)];
  undo.add(() => Promise.all([ingest.destroy(), comms.destroy()]));
  await addCustomers(comms);
  return { database, ingest, comms };
}
