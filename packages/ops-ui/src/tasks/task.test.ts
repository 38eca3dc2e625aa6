import { expect, test } from '@jest/globals';
import type { Task } from '../api/types.ts';
import { alertLines, alertWords, changesOf, closedWords, typedSince, undoing, written } from './task.ts';
import { tasksSearch } from './tasks-search.ts';

const task = (given: Partial<Task> = {}): Task =>
  ({
    title: 'Call them',
    notes: null,
    priority: 'NORMAL',
    due_date: '2026-12-24',
    status: 'OPEN',
    assigned_agent: 'ada',
    rung: null,
    closed_because: null,
    ...given,
  }) as Task;

test('what is saved is what was changed, and nothing else', () => {
  expect(changesOf(task(), {})).toBeNull();
  expect(changesOf(task(), { title: 'Call them ', notes: ' ', due_date: '2026-12-24' })).toBeNull();
  expect(changesOf(task({ notes: '' }), { priority: 'HIGH' })).toEqual({ priority: 'HIGH' });
  expect(changesOf(task(), { notes: 'At noon', due_date: '' })).toEqual({ notes: 'At noon', due_date: null });
});

test('what alerts noted is told line by line, and what people wrote is not taken for it', () => {
  const tried =
    'Alert 30: No message reached the customer. Messaging app: failed (Message undeliverable). ' +
    'E-mail: The customer has no address for e-mail. SMS: perhaps sent, which nobody knows.';
  const after = 'Alert 30: The message by SMS has reached the customer after all';
  expect(alertLines(`Ask for Ada\n${tried}\n${after}`)).toEqual([
    'Alert 30: No message reached the customer.',
    'Messaging app: failed (Message undeliverable).',
    'E-mail: The customer has no address for e-mail.',
    'SMS: perhaps sent, which nobody knows.',
    after,
  ]);
  expect([alertLines('They answer in the morning.'), alertLines(null)]).toEqual([[], []]);
});

test('an empty field is nothing, and never an empty text', () => {
  expect(written({ title: ' Call ', notes: '\n', priority: 'NORMAL', due_date: '' })).toEqual({
    title: 'Call',
    notes: null,
    priority: 'NORMAL',
    due_date: null,
  });
});

test('what undoes a change puts back all of it', () => {
  expect(undoing(task(), { status: 'DONE' })).toEqual({ status: 'OPEN' });
  expect(undoing(task(), { assigned_agent: null, priority: 'URGENT' })).toEqual({
    assigned_agent: 'ada',
    priority: 'NORMAL',
  });
});

test.each([
  [{}, null],
  [{ status: 'DONE', closed_because: 'done' }, 'Somebody did it.'],
  [{ status: 'CANCELLED', closed_because: 'due_date_changed' }, 'Its renewal is due much later by now.'],
  [{ status: 'DONE', closed_because: 'of a kind to come' }, 'It was done.'],
  [{ status: 'CANCELLED' }, 'It was cancelled.'],
] as [Partial<Task>, string | null][])('%j is closed because: %s', (given, expected) => {
  expect(closedWords(task(given))).toBe(expected);
});

test('a task says which alert it stands for, if any', () => {
  expect(alertWords(task())).toBeNull();
  expect(alertWords(task({ rung: '14' }))).toBe('the alert that 14 days are left');
  expect(alertWords(task({ rung: 'OVERDUE' }))).toBe('the alert that the renewal is overdue');
});

test('an address says what differs from the usual, and what is no such thing is left out', () => {
  expect(tasksSearch({})).toEqual({});
  expect(tasksSearch({ view: 'mine', state: 'open', task: '' })).toEqual({});
  expect(tasksSearch({ view: 'all', state: 'done', task: 'an id' })).toEqual({
    view: 'all',
    state: 'done',
    task: 'an id',
  });
  expect(tasksSearch({ view: 'theirs', create: true, task: 'an id' })).toEqual({ create: true });
});

test('what is typed while the rest is being saved is left to be saved', () => {
  const sent = { title: 'Call them ', notes: 'At noon' };
  expect(typedSince(sent, sent)).toBeNull();
  expect(typedSince({ ...sent, notes: 'At noon, twice', due_date: '' }, sent)).toEqual({
    notes: 'At noon, twice',
    due_date: '',
  });
});
