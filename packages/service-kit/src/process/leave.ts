import { setTimeout as passed } from 'node:timers/promises';
import type { BaseConfig } from './config.ts';

/** How a process takes its leave: it says that it goes, and stays as long as others may need to hear of it. */
export interface Leave {
  /** Aborted once it is being taken. */
  readonly signal: AbortSignal;
  /** How long others have to hear of it; who used none of our connections for so long has given them up. */
  readonly ms: number;
  /** Resolves when that time is over. */
  take(): Promise<void>;
}

export function createLeave({ DRAIN_SECONDS: seconds }: Pick<BaseConfig, 'DRAIN_SECONDS'>): Leave {
  const taken = new AbortController();
  const ms = seconds * 1000;
  return {
    signal: taken.signal,
    ms,
    async take() {
      taken.abort();
      await passed(ms);
    },
  };
}
