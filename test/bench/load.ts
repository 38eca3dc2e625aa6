import { fork } from 'node:child_process';
import { once } from 'node:events';
import { endProcess } from '@ops/machine/child-process';
import type { Load, Loaded } from './generator.ts';
import { type Spread, spreadOf } from './rounds.ts';
import type { Undo } from './undo.ts';

/** One load at a time. */
export type Generator = (load: Load) => Promise<Measured>;

export interface Measured extends Loaded, Spread {
  requests: number;
  /** Answers a second. */
  rate: number;
}

type Told = { loaded: Loaded } | { failed: string };

export async function startGenerator(undo: Undo): Promise<Generator> {
  const child = fork(new URL('generator.ts', import.meta.url), { serialization: 'advanced' });
  undo.add(() => endProcess(child, 'SIGTERM', 1_000));
  await once(child, 'message');
  return async (load) => {
    child.send(load);
    const [told] = (await once(child, 'message')) as [Told];
    if ('failed' in told) throw new Error(told.failed);
    const { loaded } = told;
    const requests = loaded.took.length;
    return { ...loaded, ...spreadOf(loaded.took), requests, rate: requests / loaded.seconds };
  };
}
