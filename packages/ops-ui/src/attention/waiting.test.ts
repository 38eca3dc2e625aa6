import { expect, test } from '@jest/globals';
import { isLate, passedWith, snoozeTimes, whyNotUntil } from './waiting.ts';

test.each([
  ['who follows', ['abc'], 'c'],
  ['nobody after the last, nor once the last is out of the list', ['ab', 'a'], undefined],
  ['who followed, once the one in hand is out of the list', ['abc', 'ac'], 'c'],
  ['who follows then, once both are', ['abcd', 'ad'], 'd'],
  ['who came to the list since', ['ab', 'ac'], 'c'],
  ['the first, where the one in hand was never in the list', ['ac'], 'a'],
  ['nobody of an empty list', ['abc', ''], undefined],
])('with b in hand next comes %s', (_, seen, expected) => {
  const lists = seen.map((ids) => [...ids]);
  const passed = lists.reduce<ReadonlySet<string>>((before, ids) => passedWith(ids, 'b', before), new Set());
  expect(lists.at(-1)?.find((id) => !passed.has(id))).toBe(expected);
});

test('a customer is put off into the future, to a morning where it is days', () => {
  const now = new Date('2026-11-23T23:30:00').getTime();
  const times = snoozeTimes(now);
  expect(times.every(({ until }) => until.getTime() > now)).toBe(true);
  expect(times.slice(1).map(({ until }) => [until.getHours(), until.getMinutes()])).toEqual(Array(3).fill([8, 0]));
  expect(times[2]?.until.getDay()).toBe(1);
});

test('nobody is put off until what is over, or for more than a year', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  const at = (day: string) => whyNotUntil(Date.parse(day), now);
  expect(at('2026-11-23T12:00:00Z')).toBe('That is over already.');
  expect(at('2026-11-23T12:01:00Z')).toBeUndefined();
  expect(at('2027-11-24T12:00:00Z')).toBeUndefined();
  expect(at('2027-11-24T12:01:00Z')).toBe('That is more than a year away.');
});

test('late is what should have been answered by now, as far as anybody can say', () => {
  const now = Date.parse('2026-11-23T12:00:00Z');
  expect([isLate('2026-11-23T11:59:00Z', now), isLate('2026-11-23T12:01:00Z', now), isLate(null, now)]).toEqual([
    true,
    false,
    false,
  ]);
});
