import { expect, test } from '@jest/globals';
import { heldInWords, heldShortly, keepsBack } from './hold-words.ts';

const started = { because: 'started', until: null } as const;
const acknowledged = { because: 'acknowledged', until: '2026-12-03' } as const;

test('what holds a renewal is told with who looks after it and until when, as far as that is known', () => {
  expect(heldInWords(started, 'Ada')).toBe('held: somebody is at work on it');
  expect(heldInWords(acknowledged)).toBe('held: somebody looks after it, until 2026-12-03');
  expect(heldInWords(acknowledged, 'Ada')).toBe('held: Ada looks after it, until 2026-12-03');
  expect([heldShortly(started), heldShortly(acknowledged)]).toEqual(['held', 'held until 2026-12-03']);
});

test('the day on which a hold ends is free', () => {
  expect(keepsBack(acknowledged, '2026-12-02')).toBe(true);
  expect(keepsBack(acknowledged, '2026-12-03')).toBe(false);
  expect([keepsBack(started, '2199-01-01'), keepsBack(null, '2026-12-02')]).toEqual([true, false]);
});
