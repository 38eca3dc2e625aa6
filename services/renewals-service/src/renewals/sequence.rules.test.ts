import { expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { OutreachStep } from '@ops/contracts/resources/outreach';
import fc from 'fast-check';
import { answeredIn, begun, dueSteps, endedBy, givenUp, nextStep, resumed, type Sequence } from './sequence.rules.ts';

const began_on = '2026-03-02';
const steps: fc.Arbitrary<OutreachStep[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: 29 }), { minLength: 1, maxLength: 6 })
  .map((days) => days.sort((a, b) => a - b).map((after_days) => ({ after_days, channels: ['EMAIL'], task: null })));
const fresh = (of: OutreachStep[]) => begun({ '60': of }, '60', '2026-05-01', began_on) as Sequence;

test('whichever nights there are, each step goes once, on the first night after its day, or is passed over for a later one', () => {
  const nights = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, nights, (of, given) => {
      let sequence: Sequence | null = fresh(of);
      const gone: string[] = [];
      const passed: string[] = [];
      for (const night of given.sort((a, b) => a - b)) {
        const due = dueSteps(sequence, addDays(began_on, night), false);
        const latest = of.findLastIndex(({ after_days }) => after_days <= night);
        if (due.goes) {
          expect(due.goes.step).toBe(String(latest + 1));
          gone.push(due.goes.step);
        }
        passed.push(...due.passedOver.map(({ step }) => step));
        sequence = due.sequence;
        expect(nextStep(sequence)?.on ?? '9999').toBe(
          of[latest + 1] ? addDays(began_on, of[latest + 1]?.after_days ?? 0) : '9999',
        );
      }
      const left = givenUp(sequence);
      expect([...gone, ...passed, ...left.map(({ step }) => step)].sort()).toEqual(of.map((_, n) => String(n + 1)));
      for (const { because } of left) expect(because).toBe('next_rung');
    }),
  );
});

test('something else that goes takes the place of what is due, and of nothing later', () => {
  const sequence = fresh([7, 14, 21].map((after_days) => ({ after_days, channels: [], task: 'NORMAL' })));
  const due = dueSteps(sequence, addDays(began_on, 15), true);
  expect([due.goes, due.passedOver.map(({ step }) => step), nextStep(due.sequence)?.step]).toEqual([
    null,
    ['1', '2'],
    '3',
  ]);
});

test('what ended it first is why, and can be taken back; what is done has no end', () => {
  const sequence = fresh([{ after_days: 7, channels: ['EMAIL'], task: null }]);
  const started = endedBy(endedBy(sequence, 'started'), 'closed');
  expect([started?.ended, nextStep(started), resumed(started, 'closed')]).toEqual(['started', undefined, started]);
  expect(resumed(endedBy(sequence, 'closed'), 'closed')).toEqual(sequence);
  const done = dueSteps(sequence, addDays(began_on, 7), false).sequence;
  expect(endedBy(done, 'answered')).toBe(done);
});

test('an answer since it began ends it, whether it holds or not; one before that does not, and a mistaken one is taken back', () => {
  const sequence = fresh([{ after_days: 7, channels: ['EMAIL'], task: null }]);
  const endOf = (writtenOn: string | null, holds: boolean) => answeredIn(sequence, { writtenOn, holds })?.ended;
  expect([endOf(began_on, false), endOf('2026-03-01', false), endOf('2026-03-01', true), endOf(null, false)]).toEqual([
    'answered',
    null,
    'answered',
    null,
  ]);
  const ended = endedBy(sequence, 'answered');
  expect(answeredIn(ended, { writtenOn: null, holds: false })).toEqual(sequence);
});

test('an answer while the renewal was over counts when it is reopened, unless it was about something else', () => {
  const sequence = fresh([{ after_days: 7, channels: ['EMAIL'], task: null }]);
  const closed = endedBy(sequence, 'closed');
  const answered = answeredIn(closed, { writtenOn: began_on, holds: false });
  expect(resumed(answered, 'closed')?.ended).toBe('answered');
  expect(resumed(answeredIn(answered, { writtenOn: null, holds: false }), 'closed')).toEqual(sequence);
  expect(answeredIn(closed, { writtenOn: null, holds: false })).toEqual(closed);
});
