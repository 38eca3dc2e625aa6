import { parseArgs } from 'node:util';

export interface DoctorOptions {
  json: boolean;
  /** How long each check may take. */
  timeoutMs: number;
}

const options = { json: { type: 'boolean' }, timeout: { type: 'string' } } as const;

/** `more` are flags of the caller's own. Throws a TypeError that names what is not understood. */
export function readOptions<M extends string = never>(
  args: string[],
  more: readonly M[] = [],
): DoctorOptions & Record<M, boolean> {
  const own = Object.fromEntries(more.map((name) => [name, { type: 'boolean' as const }]));
  const { values } = parseArgs({ args, options: { ...options, ...own }, strict: true });
  const seconds = Number(values.timeout ?? 10);
  if (!(seconds > 0)) throw new TypeError('--timeout takes a number of seconds');
  const given = Object.fromEntries(more.map((name) => [name, (values as Record<string, unknown>)[name] === true]));
  return { json: values.json === true, timeoutMs: seconds * 1000, ...(given as Record<M, boolean>) };
}
