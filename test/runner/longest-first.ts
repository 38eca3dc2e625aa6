import sequencer from '@jest/test-sequencer';

/** Its types are those of its CommonJS form. */
const TestSequencer = sequencer as unknown as typeof sequencer.default;
type Tests = Parameters<sequencer.default['sort']>[0];

/** Suites of whole systems take longest, so they begin: what begins last is what everybody waits for in the end. */
export default class LongestFirst extends TestSequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    const isOfSystems = ({ path, context }: Tests[number]) => path.startsWith(`${context.config.rootDir}/test/`);
    return [...sorted.filter(isOfSystems), ...sorted.filter((test) => !isOfSystems(test))];
  }
}
