import { startPostgresNode } from '@ops/test-kit/postgres-node';
import { createBusDatabase } from '../../test/database.ts';
import { installBusSchema } from '../postgres/install.ts';
import { type Adapter, type BusSettings, busOpener, createTables, emptyTables, newNamespace, openDb } from './world.ts';

export function onPostgres(): Adapter {
  const database = createBusDatabase();
  /** As a service's role sees it: a member of the role that owns the schema `bus`, and no more. */
  const schema = database.then(async ({ urls }) => {
    const db = openDb(urls.comms);
    await createTables(db);
    return { db, databaseUrl: urls.comms };
  });

  return {
    name: 'Postgres',
    async world({ deliveryLimit = 50 } = {}) {
      const { db, databaseUrl } = await schema;
      await emptyTables(db);
      const settings: BusSettings = { databaseUrl, namespace: newNamespace(), deliveryLimit };
      const opener = busOpener(settings);
      return { settings, db, ...opener, close: async () => void (await opener.closeAll()) };
    },
    async ownNodeWorld() {
      const node = await startPostgresNode();
      await installBusSchema(node.url);
      const db = openDb(node.url);
      await createTables(db);
      const settings: BusSettings = { databaseUrl: node.url, namespace: newNamespace() };
      const opener = busOpener(settings);
      return {
        settings,
        db,
        ...opener,
        kill: () => node.kill(),
        start: () => node.start(),
        async close() {
          await opener.closeAll();
          await db.destroy();
          await node.stop();
        },
      };
    },
    async close() {
      await (await schema).db.destroy();
      await (await database).drop();
    },
  };
}
