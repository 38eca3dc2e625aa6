import { expect, test } from '@jest/globals';
import { changesInWords } from './history-words.ts';

const names = {
  agent: (id: string) => (id === 'ada' ? 'Ada Demo' : id),
  service: (code: string) => (code === 'WORK_PERMIT' ? 'Work permit' : code),
  day: (date: string) => `the day ${date}`,
};
const words = (...changes: [string, unknown, unknown][]) =>
  changesInWords(
    changes.map(([field, old, now]) => ({ field, old, new: now })),
    names,
  );

test.each([
  ['phones +44, +45, before +44', ['phones', ['+44'], ['+44', '+45']]],
  ['e-mails none, before a@example.com', ['emails', ['a@example.com'], []]],
  ['agent Ada Demo, before none', ['assigned_agent', null, 'ada']],
  ['preferred channel SMS, before none', ['preferred_channel', null, 'SMS']],
  ['not to be contacted yes, before no', ['do_not_contact', false, true]],
  ['due date the day 2031-01-02, before the day 2031-01-01', ['due_date', '2031-01-01', '2031-01-02']],
  ['service Work permit, before OTHER', ['service_type', 'OTHER', 'WORK_PERMIT']],
  ['status in progress, before upcoming', ['status', 'UPCOMING', 'IN_PROGRESS']],
  ['policy or permit P_A, before none', ['policy_id', null, 'P_A']],
  [
    'looked after until the day 2031-01-02, called, Ada Demo, before none',
    ['acknowledged', null, { until: '2031-01-02', note: 'called', by: 'ada' }],
  ],
  ['cancelled because lost, before none', ['cancelled_because', null, { reason: 'lost', note: null }]],
  ['something_new 1, before none', ['something_new', null, 1]],
] as const)('%s', (said, change) => {
  expect(words(change as [string, unknown, unknown])).toBe(said);
});

test('of whom nobody knew before, of several fields, and of what was removed', () => {
  expect(words(['name', null, 'Ada'], ['phones', null, ['+44']])).toBe('made this customer');
  expect(words(['service_type', null, 'WORK_PERMIT'], ['due_date', null, '2031-01-01'])).toBe('had it watched');
  expect(words(['title', null, 'Call'], ['status', null, 'OPEN'])).toBe('made this task');
  expect(words(['name', 'Ada', 'Eva'], ['locale', null, 'de'])).toBe('name Eva, before Ada; language de, before none');
  expect(changesInWords(null, names)).toBe('a change whose words were removed');
});
