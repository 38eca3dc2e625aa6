import { describe, expect, test } from '@jest/globals';
import type { OutsideType } from '@ops/contracts/resources/communication';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { type Action, byDate, decidedOf, keyOf, newAction } from './alert-actions.rules.ts';
import { byUrgency, compose, isToRewrite, type MessageAction } from './letter.rules.ts';
import { isMessage, planned } from './planning.rules.ts';

const run = uuidv7();
const channels = ['MESSAGING_APP', 'EMAIL', 'SMS'] as const;

interface Given {
  rung: Rung;
  due: number;
  /** Of a step that follows its alert: which. */
  step?: string;
  /** What it would send by, and what it had decided on otherwise. */
  waits: OutsideType[];
  used: OutsideType[];
}

const actionsOf = ({ rung, due, step, waits, used }: Given): { waiting: MessageAction[]; all: Action[] } => {
  const about = {
    renewal_id: uuidv7(),
    customer_id: 'C-1',
    due_date: `2026-04-${String(due).padStart(2, '0')}`,
    rung,
    step: step ?? '0',
    does: step === undefined ? null : { channels: waits, task: null },
    service_label: 'Permit',
    service_labels: {},
    number: null,
  };
  const waiting = waits.map((channel) => newAction(uuidv7(), planned(channel, null), about, run)).filter(isMessage);
  const before = used
    .filter((channel) => !waits.includes(channel))
    .map((channel) => ({ ...newAction(uuidv7(), planned(channel, null), about, run), carried_out: true }));
  return { waiting, all: [...waiting, ...before] };
};

const composed = (...given: Given[]) => {
  const actions = given.map(actionsOf);
  const waiting = actions.flatMap((one) => one.waiting);
  const decided = byDate(actions.flatMap(({ all }) => all));
  return { waiting, decided, ...compose(waiting, decided, uuidv7) };
};

const alert: fc.Arbitrary<Given> = fc.record({
  rung: fc.constantFrom(...rungs),
  due: fc.integer({ min: 1, max: 28 }),
  waits: fc.subarray([...channels], { minLength: 1 }),
  used: fc.subarray([...channels]),
});

const step: fc.Arbitrary<Given> = alert.map((one) => ({ ...one, step: '1', waits: one.waits.slice(0, 1) }));

describe('whatever fires for one customer', () => {
  test('each renewal is named once by each channel of the most urgent alert, and by no other', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(alert, step), { minLength: 1, maxLength: 6 }), (given) => {
        const fresh = given.map((one) => ({ ...one, used: [] }));
        const { waiting, letters } = composed(...fresh);
        const urgent = waiting.toSorted(byUrgency);
        const first = (urgent.find((one) => one.step === '0') ?? urgent[0]) as MessageAction;
        const own = waiting.filter((one) => keyOf(one) === keyOf(first)).map(({ channel }) => channel);
        expect(letters.map(({ channel }) => channel).sort()).toEqual(own.toSorted());
        const all = new Set(waiting.map(keyOf));
        for (const { members } of letters) {
          expect(members).toHaveLength(all.size);
          expect(new Set(members.map(keyOf))).toEqual(all);
          expect(members).toEqual(members.toSorted(byUrgency));
        }
      }),
    ));

  test('none falls out, whatever it had used before; and what is written, added and dropped is all there is', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(alert, step), { minLength: 1, maxLength: 6 }), (given) => {
        const { waiting, decided, letters, added, dropped } = composed(...given);
        const written = letters.flatMap(({ members }) => members);
        expect(new Set(written.map(keyOf))).toEqual(new Set(waiting.map(keyOf)));
        const ids = (actions: readonly Action[]) => actions.map(({ id }) => id).sort();
        expect(ids([...written, ...dropped])).toEqual(ids([...waiting, ...added]));
        for (const one of added) {
          expect(decidedOf(one, decided).some(({ channel }) => channel === one.channel)).toBe(false);
          expect(one.together).toBe(run);
        }
        for (const { channel, members } of letters) expect(members.every((one) => one.channel === channel)).toBe(true);
      }),
    ));
});

test('the most urgent: the tighter rung, of one rung the earlier date', () => {
  const { letters } = composed(
    { rung: '30', due: 9, waits: ['EMAIL'], used: [] },
    { rung: '7', due: 20, waits: ['SMS'], used: [] },
    { rung: '30', due: 3, waits: ['MESSAGING_APP', 'SMS'], used: [] },
  );
  expect(
    letters.map(({ channel, members }) => [channel, members.map(({ rung, due_date }) => [rung, due_date])]),
  ).toEqual([
    [
      'SMS',
      [
        ['7', '2026-04-20'],
        ['30', '2026-04-03'],
        ['30', '2026-04-09'],
      ],
    ],
  ]);
});

test('a step that follows its alert goes along by the channels of an alert that fires, however near its own date is', () => {
  const { letters } = composed(
    { rung: '60', due: 1, step: '1', waits: ['EMAIL'], used: [] },
    { rung: '60', due: 9, waits: ['MESSAGING_APP', 'EMAIL'], used: [] },
  );
  expect(letters.map(({ channel, members }) => [channel, members.map(({ step }) => step)]).toSorted()).toEqual([
    ['EMAIL', ['1', '0']],
    ['MESSAGING_APP', ['1', '0']],
  ]);
});

test('one that has used all channels of the most urgent keeps its own', () => {
  const { letters } = composed(
    { rung: '7', due: 1, waits: ['SMS'], used: ['MESSAGING_APP'] },
    { rung: '30', due: 1, waits: ['EMAIL'], used: ['MESSAGING_APP', 'SMS'] },
  );
  expect(letters.map(({ channel, members }) => [channel, members.length])).toEqual([
    ['SMS', 1],
    ['EMAIL', 1],
  ]);
});

test('what was stopped for another is written anew; not what was stopped for the customer, left, or stood alone', () => {
  const [one] = actionsOf({ rung: '30', due: 1, waits: ['EMAIL'], used: [] }).waiting as [MessageAction];
  const inLetter = { ...one, letter_id: uuidv7() };
  const held = { code: 'held', message: 'Somebody is at it' };
  const heard = { status: 'SENT', attempt: 1, failure: null, at: '2026-03-01T10:00:00Z' } as const;
  expect(isToRewrite(inLetter, held)).toBe(true);
  expect(isToRewrite(inLetter, null)).toBe(false);
  expect(isToRewrite(inLetter, { code: 'called_off', message: 'Somebody did' })).toBe(false);
  expect(isToRewrite({ ...inLetter, heard }, held)).toBe(false);
  expect(isToRewrite({ ...inLetter, outcome: 'cancelled' }, held)).toBe(false);
  expect(isToRewrite(one, held)).toBe(false);
});
