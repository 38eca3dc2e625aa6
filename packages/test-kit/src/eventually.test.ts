import { expect, test } from '@jest/globals';
import { eventually } from './eventually.ts';

test('gives the first result that is not an error', async () => {
  let calls = 0;
  const result = await eventually(() => {
    calls += 1;
    if (calls < 3) throw new Error('not yet');
    return 'there';
  });
  expect([result, calls]).toEqual(['there', 3]);
});

test('ends with the last error once time is up', async () => {
  const check = () => Promise.reject(new Error('still not'));
  await expect(eventually(check, { timeoutMs: 0 })).rejects.toThrow('still not');
});
