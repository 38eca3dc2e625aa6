import { readFile } from 'node:fs/promises';
import { serviceNames } from '@ops/contracts/routes';
import { z } from 'zod';

/** Where a system that somebody else started is met, its database and broker included. */
const runningSystem = z.object({
  gatewayUrl: z.url(),
  simulatorUrl: z.url(),
  issuer: z.url(),
  tokenClient: z.object({ id: z.string(), secret: z.string() }),
  serviceUrls: z.record(z.enum(serviceNames), z.url()),
  metricsUrls: z.record(z.enum([...serviceNames, 'gateway']), z.url()),
  databaseUrls: z.record(z.enum(['comms', 'renewals', 'ingest', 'notifier', 'gateway']), z.url()),
  /** Without a broker Postgres carries its events. */
  amqpUrl: z.url().optional(),
  busNamespace: z.string().default(''),
});
export type RunningSystem = z.input<typeof runningSystem>;

export const readRunningSystem = async (file: string): Promise<RunningSystem> =>
  runningSystem.parse(JSON.parse(await readFile(file, 'utf8')));
