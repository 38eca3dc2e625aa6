import { join } from 'node:path';
import { config as commsConfig } from '@ops/comms-service/config';
import { serviceNames } from '@ops/contracts/routes';
import { gatewayConfig } from '@ops/gateway/config';
import { config as notifierConfig } from '@ops/notifier/config';
import { config as renewalsConfig } from '@ops/renewals-service/config';
import { settingNames } from '@ops/service-kit/config';
import { config as ingestConfig } from '@ops/webhook-ingest/config';
import type { z } from 'zod';

/** The processes that are deployed, as against what stands for the world outside. */
export const deployed = ['gateway', ...serviceNames] as const;
export type Deployed = (typeof deployed)[number];

/** What each may be told. */
export const configOf = {
  gateway: gatewayConfig,
  'comms-service': commsConfig,
  'renewals-service': renewalsConfig,
  'webhook-ingest': ingestConfig,
  notifier: notifierConfig,
} as const satisfies Record<Deployed, z.ZodType>;

/** `npm start` is told for all of them, and each of them what `npm start` is told. */
export const settingsOfAll = deployed.flatMap((name) => settingNames(configOf[name]));

const root = join(import.meta.dirname, '..', '..', '..');

/** A file beside a process's `main.ts`. */
export const sourceOf = (name: Deployed, file: string): string =>
  join(root, ...(name === 'gateway' ? [name] : ['services', name]), 'src', file);
