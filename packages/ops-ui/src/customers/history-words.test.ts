import { expect, test } from '@jest/globals';
import { changesInWords } from './history-words.ts';

const nameOf = (id: string) => (id === 'ada' ? 'Ada Demo' : id);
const words = (...changes: [string, unknown, unknown][]) =>
  changesInWords(
    changes.map(([field, old, now]) => ({ field, old, new: now })),
    nameOf,
  );

test.each([
  ['phones +44, +45, before +44', ['phones', ['+44'], ['+44', '+45']]],
  ['e-mails none, before a@example.com', ['emails', ['a@example.com'], []]],
  ['agent Ada Demo, before none', ['assigned_agent', null, 'ada']],
  ['preferred channel SMS, before none', ['preferred_channel', null, 'SMS']],
  ['not to be contacted yes, before no', ['do_not_contact', false, true]],
  ['something_new 1, before none', ['something_new', null, 1]],
] as const)('%s', (said, change) => {
  expect(words(change as [string, unknown, unknown])).toBe(said);
});

test('of whom nobody knew before, of several fields, and of what was removed', () => {
  expect(words(['name', null, 'Ada'], ['phones', null, ['+44']])).toBe('made this customer');
  expect(words(['name', 'Ada', 'Eva'], ['locale', null, 'de'])).toBe('name Eva, before Ada; language de, before none');
  expect(changesInWords(null, nameOf)).toBe('a change whose words were removed');
});
