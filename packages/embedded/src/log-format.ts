import { styleText } from 'node:util';

type Colour = Parameters<typeof styleText>[0];

const colours: Record<string, Colour> = { info: 'green', warn: 'yellow', error: 'red', fatal: 'red' };

/** Said on every line already, or of no use to a person. */
const leftOut = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'name', 'service', 'trace_id', 'err']);

/** One line of a process's log for a person: when, who, how bad, what. A line that is not JSON is shown as it is. */
export function formatLine(process: string, line: string): string {
  const who = styleText('cyan', process.padEnd(17));
  const entry = parse(line);
  if (!entry) return `${who} ${line}`;
  const level = styleText(colours[entry.level] ?? 'gray', entry.level.toUpperCase().padEnd(5));
  const time = styleText('gray', new Date(entry.time).toISOString().slice(11, 19));
  return `${time} ${who} ${level} ${entry.msg ?? ''}${details(entry)}${failure(entry.err)}`;
}

interface Entry {
  level: string;
  time: string;
  msg?: string;
  err?: { stack?: string; message?: string };
  [field: string]: unknown;
}

function parse(line: string): Entry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line);
    const known = typeof entry.level === 'string' && !Number.isNaN(new Date(entry.time).valueOf());
    return known ? entry : undefined;
  } catch {
    return undefined;
  }
}

function details(entry: Entry): string {
  const pairs = Object.entries(entry).filter(([field, value]) => !leftOut.has(field) && value !== undefined);
  const shown = pairs.map(([field, value]) => `${field}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return shown.length > 0 ? ` ${styleText('gray', shown.join(' '))}` : '';
}

const failure = (err: Entry['err']): string => {
  const text = err?.stack ?? err?.message;
  return text ? `\n  ${text.replaceAll('\n', '\n  ')}` : '';
};
