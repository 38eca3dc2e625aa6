import { confidential } from '../process/config.ts';
import type { Line } from './finding.ts';

const shown = '(not shown)';
/** Shorter ones are no secrets, and would be found in every second word. */
const shortest = 6;

/** Takes out of a line what these settings keep secret, whoever put it there: a provider may quote what it was sent. */
export function scrubberOf(settings: Readonly<Record<string, string | undefined>>): (line: Line) => Line {
  const secrets = Object.entries(settings)
    .flatMap(([name, value]) => (value && confidential.test(name) ? secretsIn(name, value) : []))
    .filter((secret) => secret.length >= shortest)
    .sort((a, b) => b.length - a.length);
  const scrub = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, shown), text);
  return (line) => ({ ...line, said: scrub(line.said), ...(line.status !== 'ok' && { fix: scrub(line.fix) }) }) as Line;
}

/** Of an address its password; else the whole, each of two during rotation, and what follows in `user:password`. */
function secretsIn(name: string, value: string): string[] {
  if (name.endsWith('URL') && URL.canParse(value)) {
    const { password } = new URL(value);
    return [password, decoded(password)];
  }
  const keys = (jwkOf(value)?.d as string | undefined) ?? '';
  const each = value.split(',').map((one) => one.trim());
  const values = each.flatMap((one) => [':', '='].map((sign) => one.slice(one.indexOf(sign) + 1)));
  return [value, keys, ...each, ...values];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function jwkOf(value: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
