import type * as published from '@jest/globals';
import type NodeItself from './environment.ts';

export type Framework = Omit<typeof published, 'jest'>;

// What suites import from `@jest/globals`: in each suite that suite's own framework.
export let test: Framework['test'];
export let describe: Framework['describe'];
export let expect: Framework['expect'];
export let beforeAll: Framework['beforeAll'];
export let beforeEach: Framework['beforeEach'];
export let afterEach: Framework['afterEach'];
export let afterAll: Framework['afterAll'];
export let jest: Pick<
  typeof published.jest,
  | 'fn'
  | 'spyOn'
  | 'restoreAllMocks'
  | 'setTimeout'
  | 'useFakeTimers'
  | 'useRealTimers'
  | 'setSystemTime'
  | 'advanceTimersByTimeAsync'
>;

export function use(framework: Framework, { moduleMocker, fakeTimersModern: timers }: NodeItself): void {
  ({ test, describe, expect, beforeAll, beforeEach, afterEach, afterAll } = framework);
  jest = {
    fn: moduleMocker.fn.bind(moduleMocker),
    spyOn: moduleMocker.spyOn.bind(moduleMocker),
    restoreAllMocks: () => chained(moduleMocker.restoreAllMocks()),
    setTimeout: (ms) => chained(Object.assign(globalThis, { [Symbol.for('TEST_TIMEOUT_SYMBOL')]: ms })),
    useFakeTimers: (how) => chained(timers.useFakeTimers(how as Parameters<typeof timers.useFakeTimers>[0])),
    useRealTimers: () => chained(timers.useRealTimers()),
    setSystemTime: (now) => timers.setSystemTime(now),
    advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  };
}

const chained = (_done: unknown): typeof published.jest => jest as typeof published.jest;
