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
  ['former customer yes, before no', ['archived', false, true]],
  ['took all that is held of them along as an archive', ['exported', null, true]],
  ['on legal hold yes, before no', ['legal_hold', false, true]],
  ['because Case 12, before none', ['legal_hold_because', null, 'Case 12']],
  ['due date the day 2031-01-02, before the day 2031-01-01', ['due_date', '2031-01-01', '2031-01-02']],
  ['service Work permit, before OTHER', ['service_type', 'OTHER', 'WORK_PERMIT']],
  ['status in progress, before upcoming', ['status', 'UPCOMING', 'IN_PROGRESS']],
  ['policy or permit P_A, before none', ['policy_id', null, 'P_A']],
  [
    'looked after until the day 2031-01-02, called, Ada Demo, before none',
    ['acknowledged', null, { until: '2031-01-02', note: 'called', by: 'ada' }],
  ],
  ['cancelled because lost, before none', ['cancelled_because', null, { reason: 'lost', note: null }]],
  ['merged it into C-7', ['merged_into', null, 'C-7']],
  ['took it apart from C-7', ['merged_into', 'C-7', null]],
  ['merged C-12, C-13 into it', ['merged_from', [], ['C-12', 'C-13']]],
  ['took C-13 apart', ['merged_from', ['C-12', 'C-13'], ['C-12']]],
  ['was done with what they had written', ['attention', 'waiting', 'done']],
  ['until the day 2031-01-02, before none', ['snoozed_until', null, '2031-01-02T08:00:00.000Z']],
  ['something_new 1, before none', ['something_new', null, 1]],
] as const)('%s', (said, change) => {
  expect(words(change as [string, unknown, unknown])).toBe(said);
});

test.each([
  ['hours until 19:00, before 18:00', ['hours', { from: '08:00', until: '18:00' }, { from: '08:00', until: '19:00' }]],
  ['quiet hours none, before 20:00, until 08:00', ['quiet_hours', { from: '20:00', until: '08:00' }, null]],
  [
    'at 60 channels e-mail, the messaging app, before SMS; at 60 task high, before none',
    [
      'steps',
      { 90: { channels: ['SMS'], task: null }, 60: { channels: ['SMS'], task: null } },
      { 90: { channels: ['SMS'], task: null }, 60: { channels: ['EMAIL', 'MESSAGING_APP'], task: 'HIGH' } },
    ],
  ],
  ['in de Führerausweis, before none', ['labels', {}, { de: 'Führerausweis' }]],
  ['deputy Ada Demo, before none', ['deputy', null, 'ada']],
  ['working days monday, before none', ['working_days', [], ['MONDAY']]],
  [`text ${'x'.repeat(200)}…, before short`, ['body', 'short', 'x'.repeat(4_096)]],
  ['had it taken in', ['taken_in', false, true]],
  ['took its rows along as a file', ['downloaded', null, true]],
] as const)('of settings and files: %s', (said, change) => {
  expect(words(change as unknown as [string, unknown, unknown])).toBe(said);
});

test('one is made in the words of whoever asks', () => {
  const changes = [{ field: 'name', old: null, new: 'spring.csv' }];
  expect(changesInWords(changes, names, { name: 'sent the file' })).toBe('sent the file');
});

test('of whom nobody knew before, of several fields, and of what was removed', () => {
  expect(words(['name', null, 'Ada'], ['phones', null, ['+44']])).toBe('made this customer');
  expect(words(['service_type', null, 'WORK_PERMIT'], ['due_date', null, '2031-01-01'])).toBe('had it watched');
  expect(words(['title', null, 'Call'], ['status', null, 'OPEN'])).toBe('made this task');
  expect(words(['name', 'Ada', 'Eva'], ['locale', null, 'de'])).toBe('name Eva, before Ada; language de, before none');
  expect(changesInWords(null, names)).toBe('a change whose words were removed');
});
