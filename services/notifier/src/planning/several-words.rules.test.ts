import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Named, problemsOfSeveral, renderSeveral } from './several-words.rules.ts';

const words = {
  subject: 'Due: {{services}}',
  body: 'Hello {{name}}.\n{{#renewals}}- {{service}}{{#number}} {{number}}{{/number}}: {{due_date}} ({{#overdue}}past{{/overdue}}{{^overdue}}left{{/overdue}}: {{days}})\n{{/renewals}}{{#more}}and {{more}} more\n{{/more}}Write to us.',
};
const permit: Named = { service: 'Permit', number: null, due_date: '2026-03-31', days: 30, overdue: false };
const policy: Named = { service: 'Policy', number: 'P-1', due_date: '2026-02-27', days: -2, overdue: true };
const said = (renewals: Named[], channel: 'EMAIL' | 'MESSAGING_APP' = 'EMAIL', locale = 'en') =>
  renderSeveral(words, { name: 'Ada Demo', renewals }, locale, channel);

test('each renewal has a line, with its number if it has one, in the language of the words', () => {
  expect(said([policy, permit])).toEqual({
    subject: 'Due: Policy, Permit',
    body: 'Hello Ada Demo.\n- Policy P-1: February 27, 2026 (past: 2)\n- Permit: March 31, 2026 (left: 30)\nWrite to us.',
  });
  expect(said([permit, permit], 'EMAIL', 'de')).toMatchObject({
    subject: 'Due: Permit',
    body: expect.stringContaining('31. März 2026'),
  });
});

test('a subject names three services', () => {
  const named = ['A', 'B', 'C', 'D'].map((service) => ({ ...permit, service }));
  expect(said(named).subject).toBe('Due: A, B, C, …');
});

test('what is filled in is text: braces in a name are no placeholder, and no line begins in one', () => {
  const odd = { ...permit, service: '{{name}}\n{{#renewals}}' };
  expect(said([odd, permit]).body).toContain('- {{name}} {{#renewals}}: March 31, 2026');
});

test('what does not fit the messaging app is counted, and every e-mail holds all', () =>
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 90 }), (count, length) => {
      const named = Array.from({ length: count }, () => ({ ...permit, service: 's'.repeat(length) }));
      const short = said(named, 'MESSAGING_APP').body;
      const lines = short.split('\n').filter((line) => line.startsWith('- ')).length;
      const more = Number(/and (\d+) more/.exec(short)?.[1] ?? 0);
      expect(lines + more).toBe(count);
      expect(short.length).toBeLessThanOrEqual(1_024);
      expect(
        said(named)
          .body.split('\n')
          .filter((line) => line.startsWith('- ')),
      ).toHaveLength(count);
    }),
  ));

test.each([
  ['{{#renewals}}{{service}}{{/renewals}} {{nmae}}', /^\{\{nmae\}\} is not a variable: there are name, services/],
  ['{{#renewals}}{{service}}', /^\{\{#renewals\}\} is not ended/],
  ['{{service}} {{#renewals}}{{days}}{{/renewals}}', /^\{\{service\}\} belongs between/],
  ['{{#renewals}}{{#more}}{{/renewals}}{{/more}}', /ends what was not begun/],
  ['{{#renewals}}{{service}}{{/renewals}} }}', /braces that enclose no variable/],
  ['Dear {{name}}', /^names no renewal/],
  [`{{#renewals}}${'long '.repeat(250)}{{/renewals}}`, /^may become \d+ characters/],
])('refused by name: %s', (body, message) => {
  expect(problemsOfSeveral({ subject: null, body }, 'MESSAGING_APP')).toEqual([
    { path: 'body', message: expect.stringMatching(message) },
  ]);
});

test('words that are in order are none, and an e-mail has a subject', () => {
  expect(problemsOfSeveral(words, 'EMAIL')).toEqual([]);
  expect(problemsOfSeveral({ ...words, subject: null }, 'EMAIL')).toMatchObject([{ path: 'subject' }]);
  expect(problemsOfSeveral({ ...words, subject: '{{service}}' }, 'EMAIL')).toMatchObject([{ path: 'subject' }]);
});
