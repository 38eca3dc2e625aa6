import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestResult } from '@jest/reporters';
import type { AggregatedResult } from '@jest/test-result';
import { withoutCanaries } from '@ops/test-kit/logs';

const slowestShown = 5;
/** Where lines cannot be written over, one for so many suites. */
const suitesALine = 20;

/** What failed, when it fails; how far the run is, on one line; in the end, where the time went. */
export default class Progress implements Reporter {
  readonly #begun = Date.now();
  readonly #root: string;

  constructor({ rootDir }: { rootDir: string }) {
    this.#root = rootDir;
  }

  onTestResult(_test: unknown, result: TestResult, all: AggregatedResult): void {
    // Nobody reads what a suite that passed said, but for what no log may hold.
    keep((result.console ?? []).map(({ message }) => message).join('\n'));
    if (result.failureMessage) {
      keep(withoutCanaries(result.failureMessage));
      this.#say(`FAILED ${this.#name(result)}\n${failureOf(result)}`);
    }
    const done = all.numPassedTestSuites + all.numFailedTestSuites;
    const line = `${done} of ${all.numTotalTestSuites} suites, ${all.numFailedTests} failed, ${this.#elapsed()}`;
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[2K${line}`);
    else if (done % suitesALine === 0 || done === all.numTotalTestSuites) this.#say(line);
  }

  onRunComplete(_contexts: unknown, { testResults }: AggregatedResult): void {
    const seconds = ({ perfStats: { start, end } }: TestResult) => (end - start) / 1000;
    const slowest = testResults.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, slowestShown);
    const lines = slowest.map((one) => `  ${seconds(one).toFixed(1).padStart(6)} s  ${this.#name(one)}`);
    this.#say(`\n${lines.length} slowest suites:\n${lines.join('\n')}`);
  }

  #name({ testFilePath }: TestResult): string {
    return relative(this.#root, testFilePath);
  }

  #elapsed(): string {
    const seconds = Math.round((Date.now() - this.#begun) / 1000);
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }

  #say(text: string): void {
    process.stdout.write(`${process.stdout.isTTY ? '\r\u001b[2K' : ''}${text}\n`);
  }
}

/** Where it is looked through for what no log may hold. */
function keep(text: string): void {
  const { TEST_LOG_DIRECTORY: logs } = process.env;
  if (logs) appendFileSync(join(logs, 'jest.log'), `${text}\n`);
}

/** With what the suite wrote to its console. */
const failureOf = ({ failureMessage, console: said }: TestResult): string =>
  [failureMessage, ...(said ?? []).map(({ type, message }) => `console.${type}: ${message}`)].join('\n');
