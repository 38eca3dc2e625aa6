import { expect, test } from '@jest/globals';
import type { Foreseen, RefreshRun } from '../api/types.ts';
import {
  alertedByInWords,
  alertedInWords,
  atRiskInWords,
  byRungInWords,
  otherDeedsInWords,
  progressInWords,
  shareDone,
  supersededInWords,
  why,
} from './refresh-words.ts';
import { alertInWords } from './rung-names.ts';

const nothing = { looked_at: 0, fired: 0, superseded: 0, became_overdue: 0, set_aside: 0, by_rung: {}, outreach: 0 };
const counts = (given: Partial<RefreshRun['counts']>) => ({ ...nothing, ...given });

test('what fired is told by rung, the most urgent last', () => {
  expect(byRungInWords({ OVERDUE: 1, 14: 3, 90: 0 })).toEqual([
    { rung: '14', words: '3 at 14 days' },
    { rung: 'OVERDUE', words: '1 overdue' },
  ]);
  expect(byRungInWords({})).toEqual([]);
  expect([alertInWords('7'), alertInWords('OVERDUE')]).toEqual(['7-day alert', 'Overdue alert']);
});

test('how many nobody is at is told of one and of several', () => {
  expect(atRiskInWords(1)).toBe('1 near its date has nobody at it');
  expect(atRiskInWords(1200)).toBe('1,200 near their dates have nobody at them');
});

test('what is superseded is told in one breath', () => {
  expect(supersededInWords([])).toBe('');
  expect(supersededInWords(['90'])).toBe('90 days');
  expect(supersededInWords(['90', '60', '30'])).toBe('90, 60 and 30 days');
});

test('a run is as far as what it looked at is of all', () => {
  expect(shareDone({ counts: counts({ looked_at: 30 }), remaining: 10 })).toBe(0.75);
  expect(shareDone({ counts: counts({}), remaining: 0 })).toBeNull();
  expect(shareDone({ counts: counts({ looked_at: 30 }), remaining: null })).toBeNull();
  expect(progressInWords({ counts: counts({ looked_at: 1, fired: 1 }), remaining: 2 })).toBe(
    'Looked at 1 renewal, 2 to go. 1 alerted so far.',
  );
});

test('those a refresh alerted are told by their rung and its day, as far as they are known', () => {
  expect(alertedByInWords('14', '21 Nov 2026')).toBe('Alerted at 14 days by the refresh of 21 Nov 2026');
  expect(alertedByInWords('OVERDUE', '21 Nov 2026')).toBe('Alerted as overdue by the refresh of 21 Nov 2026');
  expect(alertedByInWords(undefined, undefined)).toBe('Alerted by a refresh');
});

test.each([
  [{}, 'Nothing new was due, so nobody was alerted', []],
  [{ looked_at: 2 }, 'Looked at 2 renewals; nobody was alerted', []],
  [
    {
      looked_at: 5,
      fired: 4,
      by_rung: { 14: 3, OVERDUE: 1 },
      became_overdue: 1,
      superseded: 1,
      set_aside: 1,
      outreach: 2,
    },
    'Looked at 5 renewals and alerted 4',
    [
      '2 followed an earlier alert.',
      '1 became overdue.',
      '1 earlier rung was superseded by a more urgent one.',
      '1 could not be handled and is left to the next refresh.',
    ],
  ],
])('a run of %j is told as what it did', (given, alerted, others) => {
  expect(alertedInWords(counts(given))).toBe(alerted);
  expect(otherDeedsInWords(counts(given))).toEqual(others);
});

test('why something fires or not is told in a sentence', () => {
  const one = {
    because: 'closed',
    status: 'COMPLETED',
    fires: null,
    becomes_overdue: false,
    hold: null,
    sends_after_hold: null,
    goes: null,
    explanation: '1 days past due: already decided on: 7, OVERDUE',
  } as Foreseen;
  expect(why(one)).toBe('It is completed.');
  expect(why({ ...one, because: 'already_fired' })).toBe('Already decided on: 7, OVERDUE.');
  expect(why({ ...one, because: 'reached', fires: '7' })).toBe('At most 7 days are left; that alert was not sent yet.');
  expect(why({ ...one, because: 'reached_silently', fires: '7' })).toBe(
    'At most 7 days are left; the customer is not written to.',
  );
  expect(why({ ...one, because: 'reached', fires: 'OVERDUE', becomes_overdue: true })).toBe(
    'It is past due; that alert was not sent yet. It becomes overdue.',
  );
  const hold = { because: 'answered', until: '2026-12-03' } as const;
  expect(why({ ...one, because: 'reached', fires: '30', hold })).toBe(
    'At most 30 days are left; that alert was not sent yet. Held: the customer answered, until 2026-12-03.',
  );
  expect(why({ ...one, because: 'already_fired', hold: { because: 'started', until: null } })).toBe(
    'Already decided on: 7, OVERDUE. Held: somebody is at work on it.',
  );
  const goes = { rung: '60', step: '3', does: { channels: [], task: 'NORMAL' } } satisfies Foreseen['goes'];
  expect(why({ ...one, because: 'outreach', goes })).toBe('Step 3 of the 60-day alert: call.');
  expect(why({ ...one, because: 'customer_known', goes: { ...goes, step: 'customer_known', does: null } })).toBe(
    'The customer, unknown before, gets the 60-day alert.',
  );
  expect(why({ ...one, because: 'after_hold', sends_after_hold: '14' })).toBe(
    'What a hold kept back is sent as the 14-day alert.',
  );
});
