import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@jest/globals';
import { formatLine } from './log-format.ts';

const shown = (line: string) => stripVTControlCharacters(formatLine('notifier', line));

test('a log entry becomes a line for a person', () => {
  const entry = {
    level: 'warn',
    time: '2026-01-02T03:04:05.678Z',
    service: 'notifier',
    msg: 'the bus is away',
    tries: 3,
  };
  expect(shown(JSON.stringify(entry))).toBe('03:04:05 notifier          WARN  the bus is away tries=3');
});

test('an error comes with its stack', () => {
  const entry = {
    level: 'error',
    time: '2026-01-02T03:04:05Z',
    msg: 'failed',
    err: { stack: 'Error: no\n    at here' },
  };
  expect(shown(JSON.stringify(entry))).toBe('03:04:05 notifier          ERROR failed\n  Error: no\n      at here');
});

test.each(['plain words', '{"not": "a log entry"}', '{ broken'])('%s is shown as it is', (line) => {
  expect(shown(line)).toBe(`notifier          ${line}`);
});
