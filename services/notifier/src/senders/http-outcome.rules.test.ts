import { expect, test } from '@jest/globals';
import { outcomeOf } from './http-outcome.rules.ts';

const now = new Date('2026-03-01T10:00:00Z');
const busy = 'The provider takes no more from us at the moment';
const nothing = () => ({ messageId: null, failure: null, throttled: false });

test.each([
  [503, false, { kind: 'not_taken', reason: 'HTTP 503', retryAfterMs: 9_000, message: busy }],
  [503, true, { kind: 'uncertain', reason: 'HTTP 503' }],
  [500, false, { kind: 'uncertain', reason: 'HTTP 500' }],
  [429, true, { kind: 'not_taken', reason: 'HTTP 429', retryAfterMs: 9_000, message: busy }],
])('%i, and it can have had the whole body: %s', (status, bodyTaken, outcome) => {
  const headers = { 'retry-after': '9' };
  expect(outcomeOf('twilio', { kind: 'answer', status, headers, body: '', bodyTaken }, nothing, now)).toEqual(outcome);
});
