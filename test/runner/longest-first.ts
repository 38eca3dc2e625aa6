import sequencer from '@jest/test-sequencer';

/** Its types are those of its CommonJS form. */
const TestSequencer = sequencer as unknown as typeof sequencer.default;
type Tests = Parameters<sequencer.default['sort']>[0];

/**
 * What begins last is what everybody waits for in the end, so what takes long begins: as the last run had it, before the first
 * one by size. Whole systems keep the processors busy, suites of one part wait for their clocks: they take turns.
 */
export default class LongestFirst extends TestSequencer {
  override async sort(tests: Tests): Promise<Tests> {
    const sorted = await super.sort(tests);
    const { systems = [], parts = [] } = Object.groupBy(sorted, kindOf);
    return systems.flatMap((system, n) => [system, ...parts.slice(n, n + 1)]).concat(parts.slice(systems.length));
  }
}

/** Conformance is long in small files, as what drives whole systems is. */
const kindOf = ({ path, context }: Tests[number]) =>
  path.startsWith(`${context.config.rootDir}/test/`) || path.includes('/conformance/') ? 'systems' : 'parts';
