import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export type LogLine = (line: string, stream: 'stdout' | 'stderr') => void;

/** How a process ended, in words for a person. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export const describeEnding = ({ code, signal }: Ending): string =>
  signal ? `was ended by ${signal}` : `ended with exit code ${code}`;

/** Of what a process says, the last so many lines: why it ended. */
export function lastLines(most: number): { lines: readonly string[]; add(line: string): void } {
  const lines: string[] = [];
  return { lines, add: (line) => void lines.splice(0, lines.length, ...lines.slice(1 - most), line) };
}

/** Hands every line the process writes to `log`. */
export function readLines(child: ChildProcess, log: LogLine): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    const input = child[stream];
    if (input) createInterface({ input }).on('line', (line) => log(line, stream));
  }
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** Resolves once the process is gone; one that could not be started counts as gone. */
export async function ended(child: ChildProcess): Promise<Ending> {
  if (!hasEnded(child) && child.pid !== undefined) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

/** Asks with the first signal, insists with SIGKILL after the deadline. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals, deadlineMs: number): Promise<Ending> {
  if (hasEnded(child) || child.pid === undefined) return ended(child);
  const insist = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  child.kill(signal);
  return ended(child).finally(() => clearTimeout(insist));
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of a process that is not our child, to tell it from another that got its number since. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (text) => text.replaceAll('\0', ' '),
      () => '',
    );
  }
  return promisify(execFile)('ps', ['-o', 'command=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

/** Ends a process that an earlier run left behind, if this number still is what `mark` says. */
export async function endLeftover(
  pid: number,
  mark: string,
  signal: NodeJS.Signals,
  deadlineMs: number,
): Promise<boolean> {
  const isOurs = async () => isAlive(pid) && (await commandOf(pid)).includes(mark);
  if (!(await isOurs())) return false;
  process.kill(pid, signal);
  const deadline = Date.now() + deadlineMs;
  while ((await isOurs()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  if (await isOurs()) process.kill(pid, 'SIGKILL');
  return true;
}
