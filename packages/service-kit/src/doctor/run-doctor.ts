import type { z } from 'zod';
import { trustAuthority } from '../process/tls.ts';
import type { TlsSettings } from '../process/tls-settings.ts';
import { seeSettings, settingsGiven } from './configuration.ts';
import { examine } from './examine.ts';
import type { Check, Examined } from './finding.ts';
import { type DoctorOptions, readOptions } from './options.ts';
import { jsonOf, passed, textOf } from './report.ts';
import { scrubberOf } from './scrub.ts';
import { tlsChecks } from './tls.ts';

/** How one process looks at itself: by the settings it would start with, from where it would run. */
export interface Doctor<T extends z.ZodType<TlsSettings>> {
  process: string;
  schema: T;
  /** What to look at; asked for once the settings can be read. */
  checks(config: z.infer<T>, timeoutMs: number): Check[];
}

/** The whole of a process's `doctor.ts`: looks, tells on stdout, and ends with 1 when something failed. */
export const runDoctor = <T extends z.ZodType<TlsSettings>>(doctor: Doctor<T>): Promise<void> =>
  tellAndEnd(process.argv.slice(2), ['settings-only'], async (options) => [await examined(doctor, options)]);

type Flags<M extends string> = DoctorOptions & Record<M, boolean>;

/** What a check left behind when its time was up must not keep the command from ending. */
export async function tellAndEnd<M extends string>(
  args: string[],
  flags: readonly M[],
  look: (options: Flags<M>) => Promise<Examined[]>,
): Promise<void> {
  const options = understood(args, flags);
  const found = await look(options);
  const text = options.json ? jsonOf(found) : textOf(found);
  await new Promise<void>((written) => process.stdout.write(`${text}\n`, () => written()));
  process.exit(passed(found) ? 0 : 1);
}

function understood<M extends string>(args: string[], flags: readonly M[]): Flags<M> {
  try {
    return readOptions(args, flags);
  } catch (error) {
    const all = ['json', 'timeout SECONDS', ...flags].map((flag) => `[--${flag}]`).join(' ');
    process.stderr.write(`${(error as Error).message}\nusage: doctor ${all}\n`);
    process.exit(2);
  }
}

async function examined<T extends z.ZodType<TlsSettings>>(
  doctor: Doctor<T>,
  { timeoutMs, ...options }: Flags<'settings-only'>,
): Promise<Examined> {
  const scrub = scrubberOf(settingsGiven(doctor.schema, process.env));
  const { lines, config } = seeSettings(doctor.process, doctor.schema, process.env);
  if (config) trustAuthority(config);
  const all = config ? [...tlsChecks(config), ...doctor.checks(config, timeoutMs)] : [];
  const more = await examine(options['settings-only'] ? all.filter(({ alone }) => alone) : all, timeoutMs);
  return { process: doctor.process, checks: [...lines, ...more].map(scrub) };
}
