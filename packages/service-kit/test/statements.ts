import type { Db } from '../src/database/database.ts';

interface Connection {
  query(...all: unknown[]): unknown;
}

/** Each statement of it waits for this from now on, a BEGIN or COMMIT too; for connections that are not open yet. */
export function beforeEachStatement(db: Db, turn: () => Promise<void>): void {
  const connect = db.client.acquireRawConnection.bind(db.client) as () => Promise<Connection>;
  db.client.acquireRawConnection = async () => {
    const connection = await connect();
    const query = connection.query.bind(connection);
    connection.query = (...all) => void turn().then(() => query(...all));
    return connection;
  };
}
