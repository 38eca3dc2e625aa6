import { join } from 'node:path';
import { serviceNames } from '@ops/contracts/routes';
import { settingNames } from '@ops/service-kit/config';
import { misspeltIn } from '@ops/service-kit/doctor/configuration';
import type { z } from 'zod';
import type { ProcessSpec } from './managed-process.ts';

/** The processes that are deployed, as against what stands for the world outside. */
export const deployed = ['gateway', ...serviceNames] as const;
export type Deployed = (typeof deployed)[number];

const root = join(import.meta.dirname, '..', '..', '..');

/** A file beside a process's `main.ts`. */
export const sourceOf = (name: Deployed, file: string): string =>
  join(root, ...(name === 'gateway' ? [name] : ['services', name]), 'src', file);

/** Read when it is needed, since a package knows no process. */
async function schemaOf(name: Deployed): Promise<z.ZodType> {
  const module = await import(sourceOf(name, 'config.ts'));
  return name === 'gateway' ? module.gatewayConfig : module.config;
}

/** Of each process's environment its own settings, and what may have been meant for one. The rest is not kept. */
export async function settingsTold(
  specOf: (name: string) => ProcessSpec,
): Promise<Record<string, Record<string, string>>> {
  const each = deployed.map(async (name) => [name, settingsIn(await schemaOf(name), specOf(name).env)] as const);
  return Object.fromEntries(await Promise.all(each));
}

function settingsIn(schema: z.ZodType, env: NodeJS.ProcessEnv): Record<string, string> {
  const names = settingNames(schema);
  const kept = [
    ...names.flatMap((name) => [name, `${name}_FILE`]),
    ...misspeltIn(names, env).map(({ given }) => given),
  ];
  return Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
