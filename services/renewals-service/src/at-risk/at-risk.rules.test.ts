import { expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { responsibleOn } from '@ops/contracts/responsible';
import fc from 'fast-check';
import { type RiskFacts, riskReasons } from './at-risk.rules.ts';

const today = '2026-03-02';
const now = new Date(`${today}T12:00:00Z`);
const ago = (days: number, minutes = 0) => new Date(now.getTime() - days * 86_400_000 - minutes * 60_000);
const agent = (id: string, absent_until: string | null = null, deputy: string | null = null) => ({
  id,
  absent_until,
  deputy,
});
const far = '2199-12-31';
const responsible = responsibleOn(
  [agent('there'), agent('away', far), agent('stood-in-for', far, 'there'), agent('twice-away', far, 'away')],
  today,
);
const moment = { now, today, responsible };

const nobodyAtIt: RiskFacts = {
  isActive: true,
  due_date: addDays(today, 30),
  started_at: null,
  task_owners: [],
  last_rung_at: ago(10),
  reached_at: null,
  answered_at: null,
};

const always = ['nothing_reached', 'no_answer'];

test.each<[string, Partial<RiskFacts>, string[]]>([
  ['nobody at it', {}, ['no_task', ...always]],
  ['overdue', { due_date: addDays(today, -400) }, ['no_task', ...always]],
  ['a day too far away', { due_date: addDays(today, 31) }, []],
  ['over', { isActive: false }, []],
  ['a task that is nobody’s', { task_owners: [null] }, ['task_unassigned', ...always]],
  ['of somebody nobody knows', { task_owners: ['ghost'] }, ['task_unassigned', ...always]],
  ['of somebody absent', { task_owners: ['away'] }, ['agent_absent', ...always]],
  ['whose deputy is absent too', { task_owners: ['twice-away'] }, ['agent_absent', ...always]],
  ['one of each', { task_owners: ['away', null] }, ['task_unassigned', 'agent_absent', ...always]],
  ['of somebody with a deputy', { task_owners: ['stood-in-for'] }, []],
  ['of somebody there, beside others', { task_owners: [null, 'there'] }, []],
  ['reached since the last alert', { reached_at: ago(9) }, []],
  ['reached by the clock of another', { reached_at: ago(10, 1) }, []],
  ['reached before the last alert', { reached_at: ago(10, 2) }, ['no_task', ...always]],
  ['reached, and no alert yet', { reached_at: ago(300), last_rung_at: null }, []],
  ['answered 14 days ago', { answered_at: ago(14) }, []],
  ['answered before', { answered_at: ago(14, 1) }, ['no_task', ...always]],
  ['started 14 days ago', { started_at: ago(14) }, []],
  ['started before, and nothing since', { started_at: ago(14, 1) }, ['no_task', ...always]],
])('%s', (_, facts, reasons) => {
  expect(riskReasons({ ...nobodyAtIt, ...facts }, moment)).toEqual(reasons);
});

const at = fc.option(
  fc.integer({ min: 0, max: 40 * 24 }).map((hours) => ago(0, hours * 60)),
  { nil: null },
);
const anyFacts: fc.Arbitrary<RiskFacts> = fc.record({
  isActive: fc.boolean(),
  due_date: fc.integer({ min: -60, max: 60 }).map((days) => addDays(today, days)),
  started_at: at,
  task_owners: fc.array(fc.constantFrom(null, 'there', 'away', 'stood-in-for', 'twice-away', 'ghost'), {
    maxLength: 3,
  }),
  last_rung_at: at,
  reached_at: at,
  answered_at: at,
});

test('whatever is at risk is so no more once any one thing is done, and says of each what is not', () => {
  const done: Partial<RiskFacts>[] = [
    { isActive: false },
    { due_date: addDays(today, 31) },
    { started_at: now },
    { task_owners: ['there'] },
    { reached_at: now },
    { answered_at: now },
  ];
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const reasons = riskReasons(facts, moment);
      if (reasons.length === 0) return;
      expect(reasons.slice(-2)).toEqual(always);
      expect(reasons.includes('no_task')).toBe(facts.task_owners.length === 0);
      expect(reasons.length).toBeGreaterThan(2);
      for (const one of done) expect(riskReasons({ ...facts, ...one }, moment)).toEqual([]);
    }),
  );
});

test('what nothing was ever done for is at risk from thirty days on, and stays so', () => {
  fc.assert(
    fc.property(fc.integer({ min: -400, max: 400 }), at, (days, last_rung_at) => {
      const facts = { ...nobodyAtIt, due_date: addDays(today, days), last_rung_at };
      expect(riskReasons(facts, moment).length > 0).toBe(days <= 30);
    }),
  );
});
