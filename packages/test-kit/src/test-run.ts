/** What global-setup started and global-teardown stops; jest loads each of the two on its own, so it lies here. */
export interface TestRun {
  stop: (() => Promise<void>)[];
}

const holder = globalThis as { opsTestRun?: TestRun };

export const testRun = {
  get current(): TestRun {
    return holder.opsTestRun ?? { stop: [] };
  },
  set current(run: TestRun) {
    holder.opsTestRun = run;
  },
};
