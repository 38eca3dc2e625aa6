import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface RefreshProcess {
  databaseUrl: string;
  batch: number;
}

export interface RunningProcess {
  /** Begins that day's refresh; resolves when it is done, or this process dead. */
  night(today: string): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** Ready to run. As `node` runs it, without jest's transforms. */
export async function startProcess(settings: RefreshProcess): Promise<RunningProcess> {
  const child = fork(fileURLToPath(new URL('./test-refresh-process.ts', import.meta.url)), {
    env: { ...process.env, NODE_OPTIONS: '', REFRESH_PROCESS: JSON.stringify(settings) },
    execArgv: [],
  });
  const dead = once(child, 'exit');
  await Promise.race([once(child, 'message'), dead]);
  return {
    async night(today) {
      const done = once(child, 'message');
      child.send(today);
      await Promise.race([done, dead]);
    },
    async kill() {
      child.kill('SIGKILL');
      await dead;
    },
  };
}
