import { expect, test } from '@jest/globals';
import { bestWords, labelIn, localeOf, problemsOf, render } from './words.rules.ts';

const given = { name: 'Ada Demo', service: 'Residence permit', due_date: '2026-03-31', days: 30 };
const body = (text: string, locale = 'en', values = given) =>
  render({ subject: null, body: text }, values, locale).body;

test('each variable is filled, with or without blanks, as often as it stands', () => {
  expect(body('{{name}}/{{ service }}/{{days}}/{{name}}')).toBe('Ada Demo/Residence permit/30/Ada Demo');
});

test.each([
  ['en', 'March 31, 2026'],
  ['en-GB', '31 March 2026'],
  ['de', '31. März 2026'],
  ['th-TH', '31 มีนาคม ค.ศ. 2026'],
  ['xx', 'March 31, 2026'],
  ['en-x', 'March 31, 2026'],
])('the date as %s writes it: %s', (locale, date) => {
  expect(body('{{due_date}}', locale)).toBe(date);
});

test('days past are counted as days left are', () => {
  expect(body('{{days}}', 'en', { ...given, days: -3 })).toBe('3');
});

test('a name brings in no variable, line or header of its own', () => {
  expect(body('{{name}}!', 'en', { ...given, name: 'Ada\r\nBcc: x {{days}} $&' })).toBe('Ada Bcc: x {{days}} $&!');
});

test.each([
  [{ subject: null, body: 'Hello {{name}}' }, 'SMS', []],
  [{ subject: null, body: 'Hello {{name}}' }, 'EMAIL', ['subject: is required']],
  [{ subject: null, body: 'Hello {{nmae}}' }, 'SMS', ['body: {{nmae}} is not a variable']],
  [{ subject: '{{Name}}', body: '{{due date}}' }, 'EMAIL', ['subject: {{Name}} is not', 'body: {{due date}} is not']],
  [{ subject: null, body: 'Hello {{name}' }, 'SMS', ['body: has braces']],
  [{ subject: null, body: 'Hello name}}' }, 'SMS', ['body: has braces']],
  [{ subject: null, body: '{{}}' }, 'SMS', ['body: {{}} is not']],
  [{ subject: 'one\ntwo', body: 'x' }, 'EMAIL', ['subject: must be one line']],
  [{ subject: 'x', body: 'x' }, 'SMS', ['subject: is only for an e-mail']],
  [{ subject: null, body: 'x'.repeat(1_025) }, 'MESSAGING_APP', ['body: may become 1025 characters']],
  [{ subject: null, body: `${'x'.repeat(900)}{{name}}` }, 'MESSAGING_APP', ['body: may become 1100 characters']],
  [{ subject: null, body: 'x'.repeat(1_025) }, 'SMS', []],
  [{ subject: 'x', body: 'x'.repeat(4_000) }, 'EMAIL', []],
] as const)('what is wrong with %j by %s', (words, channel, expected) => {
  const found = problemsOf(words, channel).map(({ path, message }) => `${path}: ${message}`);
  expect(found).toEqual(expected.map((part) => expect.stringContaining(part)));
});

const locales = (...all: string[]) => all.map((locale) => ({ locale }));

test.each([
  ['de-CH', locales('en', 'de', 'de-CH'), 'de-CH'],
  ['de-CH', locales('en', 'de'), 'de'],
  ['DE-ch', locales('en', 'de-CH'), 'de-CH'],
  ['iw', locales('he', 'en'), 'he'],
  ['zh-Hant-TW', locales('en', 'zh', 'zh-Hant'), 'zh-Hant'],
  ['fr', locales('de', 'en'), 'en'],
  [null, locales('de', 'en'), 'en'],
  ['de', locales('de-CH', 'en'), 'en'],
  ['fr', locales('de'), undefined],
])('%s among %j: %s', (locale, all, expected) => {
  expect(bestWords(all, locale)?.locale).toBe(expected);
});

test.each([
  ['en', 'en-GB', 'en-GB'],
  ['en', 'fr', 'en'],
  ['de', null, 'de'],
])('words in %s for a customer of %s have dates and services as %s', (words, locale, expected) => {
  expect(localeOf({ locale: words }, locale)).toBe(expected);
});

test.each([
  ['de', 'Aufenthaltstitel'],
  ['de-AT', 'Aufenthaltstitel'],
  ['de-CH', 'Ausweis'],
  ['DE-ch', 'Ausweis'],
  ['en', undefined],
  ['fr', undefined],
])('in %s a service is called %s', (locale, name) => {
  expect(labelIn({ de: 'Aufenthaltstitel', 'de-ch': 'Ausweis' }, locale)).toBe(name);
});
