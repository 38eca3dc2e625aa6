import type { Db } from '@ops/service-kit/database';

export type Query = (text: string) => Promise<unknown>;

/** Past the limits of a request. */
export async function unlimited<T>(db: Db, work: (query: Query) => Promise<T>): Promise<T> {
  const connection = await db.client.acquireConnection();
  const query: Query = (text) => connection.query({ text, query_timeout: 2 ** 31 - 1 });
  await query('SET statement_timeout = 0');
  return work(query).finally(() => db.client.releaseConnection(connection));
}
