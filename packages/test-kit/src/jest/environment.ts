import type { JestEnvironment, JestEnvironmentConfig } from '@jest/environment';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Node as it is: a suite runs in the very world in which the processes run, and not in a copy of it. */
export default class NodeItself implements JestEnvironment {
  readonly global = globalThis as unknown as JestEnvironment['global'];
  readonly fakeTimers = null;
  readonly fakeTimersModern: ModernFakeTimers;
  readonly moduleMocker = new ModuleMocker(globalThis);
  readonly #own = { console: globalThis.console, exit: process.exit };

  constructor({ projectConfig }: JestEnvironmentConfig) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {}

  /** What jest, or the suite, put in the place of Node's own is the next suite's in this process no longer. */
  async teardown(): Promise<void> {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    globalThis.console = this.#own.console;
    process.exit = this.#own.exit;
  }

  getVmContext(): null {
    return null;
  }

  exportConditions(): string[] {
    return [];
  }
}
