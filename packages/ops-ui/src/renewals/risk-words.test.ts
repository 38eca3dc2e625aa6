import { expect, test } from '@jest/globals';
import { riskInWords } from './risk-words.ts';

test('each reason is said in words, and of none nothing is', () => {
  expect(riskInWords(['no_task', 'nothing_reached', 'no_answer'])).toBe(
    'no task is open, no message has reached the customer, nobody answered or started',
  );
  expect(riskInWords(['task_unassigned', 'agent_absent'])).toBe('nobody has its task, who has its task is absent');
  expect(riskInWords([])).toBe('');
});
