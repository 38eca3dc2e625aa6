import type { ServiceName } from '@ops/contracts/routes';
import type pg from 'pg';
import type { z } from 'zod';
import type { BaseConfig } from '../process/config.ts';
import { backlogLines } from './backlog.ts';
import { brokerChecks } from './broker.ts';
import { collectorChecks } from './collector.ts';
import { databaseCheck } from './database.ts';
import type { Check, Line } from './finding.ts';
import { internalKeysCheck } from './keys.ts';
import { peerChecks } from './peers.ts';
import { runDoctor } from './run-doctor.ts';

export interface ServiceDoctor<C extends BaseConfig> {
  service: ServiceName;
  schema: z.ZodType<C>;
  migrations: readonly URL[];
  checks?: (config: C, timeoutMs: number) => Check[];
  /** What else to look at in the service's tables. */
  tables?: (client: pg.Client) => Promise<Line[]>;
}

/** What every service has looked at, beside what is its own. */
export const runServiceDoctor = <C extends BaseConfig>(doctor: ServiceDoctor<C>): Promise<void> =>
  runDoctor<z.ZodType<C>>({
    process: doctor.service,
    schema: doctor.schema,
    checks: (config, timeoutMs) => [
      internalKeysCheck(doctor.service, config),
      databaseCheck(databaseOf(doctor, config, timeoutMs)),
      ...brokerChecks(config, timeoutMs),
      ...peersOf(doctor.service, config, timeoutMs),
      ...(doctor.checks?.(config, timeoutMs) ?? []),
      ...collectorChecks(config, timeoutMs),
    ],
  });

const databaseOf = <C extends BaseConfig>(doctor: ServiceDoctor<C>, config: C, timeoutMs: number) => ({
  process: doctor.service,
  url: config.DATABASE_URL,
  migrations: doctor.migrations,
  carriesEvents: config.AMQP_URL === undefined,
  timeoutMs,
  also: async (client: pg.Client) => [...(await backlogLines(client)), ...((await doctor.tables?.(client)) ?? [])],
});

function peersOf(service: ServiceName, config: BaseConfig, timeoutMs: number): Check[] {
  const { INTERNAL_PRIVATE_KEY } = config;
  return INTERNAL_PRIVATE_KEY ? peerChecks(service, { ...config, INTERNAL_PRIVATE_KEY }, timeoutMs) : [];
}
