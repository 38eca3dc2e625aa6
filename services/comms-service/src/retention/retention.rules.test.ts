import { expect, test } from '@jest/globals';
import { type RetentionSubject, retentionSubject } from '@ops/contracts/resources/retention';
import fc from 'fast-check';
import { proposedDays } from '../proposals/proposal.rules.ts';
import { addUp, changedDays, orderOf, outcomeOf, sorted } from './retention.rules.ts';

const days = fc.record(
  Object.fromEntries(retentionSubject.options.map((subject) => [subject, fc.integer({ min: 1, max: 36_500 })])),
) as fc.Arbitrary<Record<RetentionSubject, number>>;

test('a time is so many days of 24 hours before the run', () => {
  fc.assert(
    fc.property(
      days,
      fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      (keep, asOf) => {
        const { before } = orderOf(keep, true, asOf, []);
        for (const subject of retentionSubject.options)
          expect((asOf.getTime() - Date.parse(before[subject])) / 86_400_000).toBe(keep[subject]);
      },
    ),
  );
  expect(orderOf({ ...sample, SMS: 2 }, false, new Date('2026-03-02T03:30:00Z'), ['C-1'])).toMatchObject({
    dry_run: false,
    before: { SMS: '2026-02-28T03:30:00.000Z' },
    held: ['C-1'],
  });
});

const sample = Object.fromEntries(retentionSubject.options.map((subject) => [subject, 10])) as Record<
  RetentionSubject,
  number
>;

test('what is left out keeps its time, and a change to what it is already is none', () => {
  expect(changedDays(sample, { SMS: 5 })).toEqual({ ...sample, SMS: 5 });
  expect(changedDays(sample, {})).toBeUndefined();
  expect(changedDays(sample, { SMS: 10, EMAIL: 10 })).toBeUndefined();
});

const place = (service: string, name: string, rows: number) => ({ service, place: name, rows });

test('what a service told in several calls is added up by place, in the order told', () => {
  const told = [place('notifier', 'outbox', 3), place('notifier', 'inbox', 1), place('notifier', 'outbox', 4)];
  expect(addUp(told)).toEqual([place('notifier', 'outbox', 7), place('notifier', 'inbox', 1)]);
});

test('a run is complete when every service did its part; else it says which did not, and what the others removed', () => {
  const done = { places: [place('notifier', 'outbox', 3)], failure: null };
  expect(outcomeOf([done])).toEqual({ status: 'completed', places: done.places, failure: null });
  const partly = { places: [place('webhook-ingest', 'parts', 2)], failure: 'webhook-ingest could not be asked' };
  expect(outcomeOf([done, partly, { places: [], failure: 'b' }])).toEqual({
    status: 'failed',
    places: [...done.places, ...partly.places],
    failure: 'webhook-ingest could not be asked; b',
  });
});

test('whatever is asked for: what is longer and what is shorter make up what changes, and nothing is both', () => {
  fc.assert(
    fc.property(days, days, (kept, wanted) => {
      const { longer, shorter } = sorted(kept, wanted);
      const changed = changedDays(kept, wanted);
      expect(changedDays(kept, { ...longer, ...proposedDays(shorter) })).toEqual(changed);
      for (const [name, to] of Object.entries(longer)) expect(to).toBeGreaterThan(kept[name as RetentionSubject]);
      for (const [name, { from, to }] of Object.entries(shorter))
        expect([from, to < from]).toEqual([kept[name as RetentionSubject], true]);
    }),
  );
});
