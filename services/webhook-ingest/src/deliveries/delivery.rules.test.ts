import { expect, test } from '@jest/globals';
import { summaryOf } from './delivery.rules.ts';

const published = { outcome: 'published', reason: null } as const;
const aside = (reason: string) => ({ outcome: 'not_understood', reason }) as const;

test.each([
  ['everything was taken', [published, published], [published, published], undefined, 'processed', null, 2],
  ['some of it was known', [published, published], [published], undefined, 'processed', null, 1],
  ['all of it was known', [published, aside('x')], [], undefined, 'duplicate', 'x', 0],
  ['some was not understood', [published, aside('x')], [published, aside('x')], undefined, 'partly', 'x', 1],
  ['the reader had a problem beside', [published], [published], 'cut off', 'partly', 'cut off', 1],
  [
    'nothing was understood',
    [aside('x'), aside('x'), aside('y')],
    [aside('x')],
    undefined,
    'not_understood',
    'x; y',
    0,
  ],
  ['nothing was in it', [], [], undefined, 'not_understood', 'There is nothing in it', 0],
  ['it could not be read', [], [], 'The body is not JSON', 'not_understood', 'The body is not JSON', 0],
] as const)('%s', (_, read, own, problem, outcome, reason, items) => {
  expect(summaryOf(read, own, problem)).toEqual({ outcome, reason, items });
});
