import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { StoredRun } from '../src/refresh/run-store.ts';

export interface RefreshProcess {
  databaseUrl: string;
  batch: number;
}

/** Begin that day's refresh and stop before its statement of that number; or go on from where it stopped. */
export type Order = { today: string; stopBefore: number | null } | 'go on';

export interface Answer {
  run?: StoredRun | undefined;
}

export interface RunningProcess {
  /**
   * That day's refresh: the run when it is over; undefined when this process is dead, or stopped before its statement of
   * that number, counted from 0.
   */
  night(today: string, stopBefore?: number): Promise<StoredRun | undefined>;
  /** The same, from where it stopped to the end. */
  goOn(): Promise<StoredRun | undefined>;
  /** SIGKILL; resolves when it is dead. */
  kill(): Promise<void>;
}

/** Ready to run, its connection open. As `node` runs it, without jest's transforms. */
export async function startProcess(settings: RefreshProcess): Promise<RunningProcess> {
  const child = fork(fileURLToPath(new URL('./refresh-process.ts', import.meta.url)), {
    env: { ...process.env, NODE_OPTIONS: '', REFRESH_PROCESS: JSON.stringify(settings) },
    execArgv: [],
  });
  const dead = once(child, 'exit');
  const answer = async () => {
    const [told] = await Promise.race([once(child, 'message'), dead.then(() => [])]);
    return (told as Answer | undefined)?.run;
  };
  const order = (what: Order) => {
    const answered = answer();
    child.send(what);
    return answered;
  };
  await answer();
  return {
    night: (today, stopBefore) => order({ today, stopBefore: stopBefore ?? null }),
    goOn: () => order('go on'),
    async kill() {
      child.kill('SIGKILL');
      await dead;
    },
  };
}
