import { readFileSync } from 'node:fs';
import { isRequired } from '@ops/contracts/plain-words';
import { z } from 'zod';
import { tracingSettings } from '../observing/tracing.ts';
import { tlsSettings } from './tls-settings.ts';

/** A wrong or missing setting. The message names every one of them, what is expected, and what was given unless it may be a secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: 'a postgres:// address' });
const brokerUrl = z.url({ protocol: /^amqps?$/, error: 'an amqp:// or amqps:// address' });
const port = z.coerce.number('a port from 0, any free one, to 65535').int().min(0).max(65_535);
const json = (expected: string, schema: z.ZodType) =>
  z.string(expected).refine((value) => holds(schema, value), expected);

const publicKey = z.looseObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string().min(1),
});
const privateKey = publicKey.extend({ d: z.string() });

/** What every service is told; each adds its own with `baseConfig.extend({...})`. Any setting may be given as `NAME_FILE` instead. */
export const baseConfig = z.object({
  DATABASE_URL: databaseUrl,
  /** Off behind a pooler that hands a connection on between transactions and knows no prepared statements. */
  PREPARED_STATEMENTS: z.enum(['on', 'off']).default('on'),
  AMQP_URL: brokerUrl.optional(),
  BUS_NAMESPACE: z
    .string()
    .regex(/^[A-Za-z0-9_-]{0,60}$/, 'up to 60 letters, digits, _ or -')
    .default(''),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(0),
  METRICS_PORT: port.default(0),
  /**
   * How long a process that was asked to stop goes on and says so. Balancers and clients have to hear of it, if there are others, and
   * clients keep a connection for four seconds.
   */
  DRAIN_SECONDS: z.coerce
    .number()
    .int()
    .max(60)
    .refine((seconds) => seconds === 0 || seconds > 4, '0 where nobody takes over, else from 5 to 60')
    .default(0),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  INTERNAL_PUBLIC_KEYS: json(
    'a JSON Web Key Set of Ed25519 public keys, each with a kid',
    z.object({ keys: z.array(publicKey).min(1) }),
  ),
  INTERNAL_PRIVATE_KEY: json('an Ed25519 private JSON Web Key with a kid', privateKey).optional(),
  ...tracingSettings.shape,
  ...tlsSettings.shape,
});
export type BaseConfig = z.infer<typeof baseConfig>;

/** What is wrong with one setting, without what it holds if that may be a secret. */
export interface SettingProblem {
  setting: string;
  said: string;
}

/** Reads the environment once, at the start. An empty value counts as not given, as compose files write it. */
export function loadConfig<T extends z.ZodType>(schema: T, env: NodeJS.ProcessEnv = process.env): z.infer<T> {
  const read = readConfig(schema, env);
  if ('config' in read) return read.config;
  const lines = read.problems.map(({ setting, said }) => `  ${setting}: ${said}`);
  throw new ConfigError(`The settings are wrong:\n${lines.join('\n')}`);
}

/** The same for somebody who wants to hear of the problems one by one. */
export function readConfig<T extends z.ZodType>(
  schema: T,
  env: NodeJS.ProcessEnv,
): { config: z.infer<T> } | { problems: SettingProblem[] } {
  const problems: SettingProblem[] = [];
  const given: Record<string, string> = {};
  for (const name of settingNames(schema)) {
    const value = settingOf(name, env, problems);
    if (value !== undefined) given[name] = value;
  }
  const parsed = schema.safeParse(given);
  const issues = parsed.success ? [] : parsed.error.issues.map((issue) => describe(issue, given));
  return parsed.success && problems.length === 0 ? { config: parsed.data } : { problems: [...problems, ...issues] };
}

export function settingNames(schema: z.ZodType): string[] {
  if (schema instanceof z.ZodPipe) return settingNames(schema.in as z.ZodType);
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  throw new TypeError('a configuration is a zod object');
}

/** As it was given, directly or in a file. */
export function settingOf(name: string, env: NodeJS.ProcessEnv, problems: SettingProblem[]): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return env[name] || undefined;
  if (env[name]) problems.push({ setting: name, said: `give it or ${name}_FILE, not both` });
  try {
    return readFileSync(file, 'utf8').trimEnd() || undefined;
  } catch (error) {
    problems.push({ setting: `${name}_FILE`, said: `cannot be read (${(error as NodeJS.ErrnoException).code})` });
    return undefined;
  }
}

/** Names whose value may hold a secret; addresses carry passwords. */
export const confidential = /URL|ENDPOINT|TLS|KEY|SECRET|TOKEN|PASSWORD|AUTH|CREDENTIAL|HEADERS/;

function describe(issue: z.core.$ZodIssue, given: Record<string, string>): SettingProblem {
  const name = String(issue.path[0] ?? 'configuration');
  const value = given[name];
  const shown = confidential.test(name) ? 'something else (not shown)' : JSON.stringify(value);
  const found = value === undefined ? 'but it is not set' : `given ${shown}`;
  const said = issue.message === isRequired ? isRequired : `${asSentence(issue.message)}, ${found}`;
  return { setting: name, said };
}

/** A setting's own words name what is expected; where it has none, the words for everybody are a sentence. */
const asSentence = (message: string): string => (/^(must|is) /.test(message) ? message : `expected ${message}`);

function holds(schema: z.ZodType, value: string): boolean {
  try {
    return schema.safeParse(JSON.parse(value)).success;
  } catch {
    return false;
  }
}
