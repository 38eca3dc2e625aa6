import { expect, test } from '@jest/globals';
import { cannedFields as known } from '@ops/contracts/resources/canned-reply';
import { asksFor, cannedFields, filledIn, hasGap, inserted } from './canned.ts';

const facts = { customer_name: 'Ada Demo', agent_name: 'Bob', next_service: 'Work permit', next_due_date: null };

test('the fields are those that the service takes', () => {
  expect(Object.keys(cannedFields).sort()).toEqual([...known].sort());
});

test('fields are filled in, and what nobody knows is a gap', () => {
  const words = filledIn('Dear {{customer_name}}, {{ next_service }}: {{next_due_date}}. {{agent_name}}', facts);
  expect(words).toBe('Dear Ada Demo, Work permit: ___. Bob');
  expect([hasGap(words), hasGap('Dear Ada')]).toEqual([true, false]);
  expect(filledIn('{{constructor}}', facts)).toBe('{{constructor}}');
});

test.each([
  ['/', 1, 'Hi'],
  ['Dear /', 6, 'Dear Hi'],
  ['Dear ', 5, 'Dear Hi'],
  ['ab', 1, 'aHib'],
])('into %j at %i', (body, at, expected) => {
  expect(inserted(body, at, 'Hi', '/')).toBe(expected);
});

test.each([
  ['', '/', 1, true],
  ['Dear ', 'Dear /', 6, true],
  ['and', 'and/', 4, false],
  ['//', '/', 1, false],
])('from %j to %j at %i a reply is asked for: %s', (before, now, at, expected) => {
  expect(asksFor('/', before, now, at)).toBe(expected);
  expect(asksFor('@', before.replaceAll('/', '@'), now.replaceAll('/', '@'), at)).toBe(expected);
});
