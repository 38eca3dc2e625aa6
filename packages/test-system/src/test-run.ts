/** What global-setup started and global-teardown stops; jest loads each of the two on its own, so it lies here. */
export interface TestRun {
  /** What stands on the rest. */
  stopFirst?: () => Promise<void>;
  stop: (() => Promise<void>)[];
  /** Nobody outside gave a place for logs, so nobody else will look at them. */
  ownsLogs: boolean;
}

const holder = globalThis as { opsTestRun?: TestRun };

export const testRun = {
  get current(): TestRun {
    return holder.opsTestRun ?? { stop: [], ownsLogs: false };
  },
  set current(run: TestRun) {
    holder.opsTestRun = run;
  },
};
