import pg from 'pg';
import { type Kept, keepOpen } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import { atMost } from '../pause.ts';

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
    dispose: (client) => atMost(2_000, client.end()),
  });
}

/** pg waits for ever by default, for a connection as for an answer. */
export const clientConfig = (url: string, name: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: name,
  connectionTimeoutMillis: 5_000,
  query_timeout: 15_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
});

/**
 * graphile-worker gives its listening connection back twice when it was lost while it was asked to listen and the worker ended over it.
 * pg takes the second time for a fault, which nobody would catch: it would end the process.
 */
class ForgivingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(given: Connected): void;
  override connect(given?: Connected): Promise<pg.PoolClient> | undefined {
    if (!given) return super.connect();
    super.connect((error, client, release) => {
      let letGo: typeof release | undefined = release;
      given(error, client, (broken) => {
        letGo?.(broken);
        letGo = undefined;
      });
    });
    return undefined;
  }
}

type Connected = Parameters<typeof pg.Pool.prototype.connect>[0];

/** A pool whose broken clients, idle or in use, are dropped instead of ending the process. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new ForgivingPool(config);
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
