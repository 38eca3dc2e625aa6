import type { z } from 'zod';
import { serviceAddresses } from '../identity/service-addresses.ts';
import { baseConfig, readConfig, type SettingProblem, settingNames, settingOf } from '../process/config.ts';
import { failed, type Line, ok, warning } from './finding.ts';

const name = 'configuration';

export interface SettingsSeen<C> {
  lines: Line[];
  /** Left out when something is wrong with it. */
  config?: C;
}

/** Every setting through the process's own schema, and what looks like one that was misspelt and is not one of `others`. */
export function seeSettings<T extends z.ZodType>(
  process: string,
  schema: T,
  env: NodeJS.ProcessEnv,
  others?: readonly string[],
): SettingsSeen<z.infer<T>> {
  const names = settingNames(schema);
  const misspelt = misspeltIn(names, env, others).map(({ given, meant }) =>
    warning(name, `${given} means nothing to ${process}`, `call it ${meant}, or remove it`),
  );
  const read = readConfig(schema, env);
  if ('problems' in read)
    return { lines: [...withoutEchoes(read.problems).map((one) => problemLine(one, process, env)), ...misspelt] };
  const given = names.filter((one) => env[one] || env[`${one}_FILE`]).length;
  return {
    lines: [ok(name, `${given} of ${names.length} settings given, all readable`), ...misspelt],
    config: read.config,
  };
}

/** Leaves out that a setting is not given where its file could not be read, which was told already. */
function withoutEchoes(problems: readonly SettingProblem[]): SettingProblem[] {
  const told = new Set(problems.map(({ setting }) => setting));
  return problems.filter(({ setting }) => !told.has(`${setting}_FILE`));
}

function problemLine({ setting, said }: SettingProblem, process: string, env: NodeJS.ProcessEnv): Line {
  const fix = setting.endsWith('_FILE')
    ? `let ${process} read ${env[setting]} (npm run secrets makes what is missing), or give ${setting.slice(0, -5)}`
    : `set ${setting}, or ${setting}_FILE to a file that holds it, for ${process}`;
  return failed(name, `${setting}: ${said}`, fix);
}

/** What these settings hold, those in files too; what cannot be read is left out. */
export const settingsGiven = (schema: z.ZodType, env: NodeJS.ProcessEnv): Record<string, string | undefined> =>
  Object.fromEntries(settingNames(schema).map((one) => [one, settingOf(one, env, [])]));

interface Misspelt {
  given: string;
  meant: string;
}

const inFilesToo = (names: readonly string[]) => names.flatMap((one) => [one, `${one}_FILE`]);
/** What a service may be told whichever it is. */
const ofServices = [baseConfig, serviceAddresses].flatMap(settingNames);

/** Shorter names are too much alike. */
const shortestName = 8;
const mostSlips = 2;

/**
 * Variables that are no setting, and nearly are one that was not given. `others` are meant for another process, where all
 * are told everything.
 */
export function misspeltIn(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  others: readonly string[] = ofServices,
): Misspelt[] {
  const own = inFilesToo(names);
  const absent = own.filter((one) => one.length >= shortestName && !env[one]);
  const known = new Set([...own, ...inFilesToo(others)]);
  return Object.keys(env)
    .filter((given) => given.length >= shortestName && !known.has(given) && env[given])
    .flatMap((given) => {
      const meant = absent.find((one) => slipsBetween(given, one) <= mostSlips);
      return meant ? [{ given, meant }] : [];
    });
}

/** Letters to add, drop or exchange on the way from one to the other (Levenshtein). */
function slipsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > mostSlips) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [n, wanted] of [...other].entries())
      next.push(Math.min((row[n + 1] ?? 0) + 1, (next[n] ?? 0) + 1, (row[n] ?? 0) + (letter === wanted ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
