import pg from 'pg';
import { type Kept, keepOpen } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';

export interface KeepClientOptions {
  name: string;
  config: pg.ClientConfig;
  logger: BusLogger;
  prepare(client: pg.Client, again: boolean): Promise<void>;
}

/** One session that is opened and prepared anew whenever it is lost. */
export function keepClient({ name, config, logger, prepare }: KeepClientOptions): Kept<pg.Client> {
  return keepOpen<pg.Client>({
    name,
    logger,
    async open(again) {
      const client = new pg.Client(config);
      const lost = new Promise<void>((resolve) => {
        client.once('end', () => resolve());
        client.on('error', () => resolve());
      });
      try {
        await client.connect();
        await prepare(client, again);
      } catch (error) {
        client.end().catch(() => undefined);
        throw error;
      }
      return { value: client, lost };
    },
    dispose: (client) => client.end(),
  });
}

/** pg waits for ever by default, for a connection as for an answer. */
export const clientConfig = (url: string, name: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: name,
  connectionTimeoutMillis: 5_000,
  query_timeout: 15_000,
  keepAlive: true,
});

/** A pool whose broken clients, idle or in use, are dropped instead of ending the process. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
