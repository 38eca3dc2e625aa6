import { resolve } from 'node:path';
import { baseConfig, loadConfig } from '@ops/service-kit/config';
import { z } from 'zod';

/** What a person may tell `npm start`. */
export const startSettings = z.object({
  PORT: z.coerce.number('a port, 0 for any free one').int('a whole number').min(0).max(65_535).default(8080),
  OPS_SEED: z.enum(['demo', 'none'], 'demo or none').default('demo'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// address of an administrator' }).optional(),
  AMQP_URL: baseConfig.shape.AMQP_URL,
  BUS_NAMESPACE: baseConfig.shape.BUS_NAMESPACE,
  TLS_CA: baseConfig.shape.TLS_CA,
});

export interface StartSettings {
  port: number;
  dataDir: string;
  seed: 'demo' | 'none';
  databaseUrl: string | undefined;
  amqpUrl: string | undefined;
  /** In front of every exchange and queue, on a broker that others use too. */
  busNamespace: string;
  /** Believed beside those that everybody knows, by `npm start` and every process. */
  authority: string | undefined;
}

/** Relative to the checkout, wherever the command was typed. */
const root = resolve(import.meta.dirname, '..', '..', '..');

export const dataDirectory = (env = process.env): string => resolve(root, env.OPS_DATA_DIR || '.ops');

export function readSettings(env = process.env): StartSettings {
  const { PORT, OPS_SEED, DATABASE_URL, AMQP_URL, BUS_NAMESPACE, TLS_CA } = loadConfig(startSettings, env);
  return {
    port: PORT,
    dataDir: dataDirectory(env),
    seed: OPS_SEED,
    databaseUrl: DATABASE_URL,
    amqpUrl: AMQP_URL,
    busNamespace: BUS_NAMESPACE,
    authority: TLS_CA,
  };
}
