import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildRole } from './child.ts';
import type { BusSettings } from './world.ts';

export interface Child {
  /** Resolves with true when it says so, with false when it dies before. */
  says(word: 'ready' | 'working'): Promise<boolean>;
  /** SIGKILL. */
  kill(): Promise<void>;
  dead: Promise<unknown>;
}

/** As `node` runs it, without jest's transforms. */
export function startChild(role: ChildRole, settings: BusSettings): Child {
  const process: ChildProcess = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), {
    env: { ...globalThis.process.env, NODE_OPTIONS: '', BUS_CHILD: JSON.stringify({ role, settings }) },
    execArgv: [],
  });
  const dead = once(process, 'exit');
  const said = new Set<unknown>();
  process.on('message', (word) => said.add(word));
  return {
    dead,
    async says(word) {
      while (!said.has(word)) {
        const ended = await Promise.race([once(process, 'message').then(() => false), dead.then(() => true)]);
        if (ended) return said.has(word);
      }
      return true;
    },
    async kill() {
      process.kill('SIGKILL');
      await dead;
    },
  };
}
