import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { endProcess, hasEnded, lastLines, readLines } from '@ops/machine/child-process';
import { leash, shellWord } from '@ops/machine/leash';
import { eventually } from './eventually.ts';
import { captureLog } from './logs.ts';

export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Where it runs, and what it keeps there; goes with it. */
  home: string;
  /** Rejects as long as it is not. */
  ready(): Promise<unknown>;
}

/** Somebody else's program for as long as a test wants it. Resolves, once it is ready, with what stops it. */
export async function startProgram({ name, command, args, env, home, ready }: Program): Promise<() => Promise<void>> {
  const child = spawn(command, args, { cwd: home, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.on('error', () => undefined);
  const log = captureLog(name);
  const last = lastLines(20);
  readLines(child, (line) => {
    last.add(line);
    log(line);
  });
  const release = leash(`kill -9 ${child.pid}; sleep 1; rm -rf ${shellWord(home)}`);
  const stop = async () => {
    release();
    await endProcess(child, 'SIGTERM', 5_000);
    await rm(home, { recursive: true, force: true });
  };
  try {
    await eventually(async () => (hasEnded(child) ? undefined : ready()));
    if (hasEnded(child)) throw new Error(`${name} ended:\n${last.lines.join('\n')}`);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
