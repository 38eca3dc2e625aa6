import type { ProcessSpec } from '@ops/machine/managed-process';
import { settingNames } from '@ops/service-kit/config';
import { misspeltIn } from '@ops/service-kit/doctor/configuration';
import type { z } from 'zod';
import { configOf, deployed, settingsOfAll } from './deployed.ts';

/** Of each process's environment its own settings, and what may have been meant for one. The rest is not kept. */
export const settingsTold = (specOf: (name: string) => ProcessSpec): Record<string, Record<string, string>> =>
  Object.fromEntries(deployed.map((name) => [name, settingsIn(configOf[name], specOf(name).env)]));

function settingsIn(schema: z.ZodType, env: NodeJS.ProcessEnv): Record<string, string> {
  const names = settingNames(schema);
  const kept = [
    ...names.flatMap((name) => [name, `${name}_FILE`]),
    ...misspeltIn(names, env, settingsOfAll).map(({ given }) => given),
  ];
  return Object.fromEntries(kept.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
