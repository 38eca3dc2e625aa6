import { expect, test } from '@jest/globals';
import type { Template } from '../api/types.ts';
import {
  canonicalLocale,
  exampleFor,
  languageOfSeveral,
  nameOfPlace,
  placeOf,
  severalToSend,
  withInserted,
  wordsToSend,
} from './template-names.ts';

test.each([
  ['30-EMAIL-de-CH', { rung: '30', channel: 'EMAIL', locale: 'de-CH' }],
  ['OVERDUE-MESSAGING_APP-en', { rung: 'OVERDUE', channel: 'MESSAGING_APP', locale: 'en' }],
  ['7-SMS', { rung: '7', channel: 'SMS', locale: null }],
] as const)('%s names a place in an address, and back', (name, place) => {
  expect(placeOf(name)).toEqual(place);
  expect(nameOfPlace(place)).toBe(name);
});

test.each(['', '31-EMAIL-en', '30-FAX-en', '30-EMAIL-', 'x30-EMAIL'])('“%s” names none', (name) => {
  expect(placeOf(name)).toBeNull();
});

test('a language tag has one way to be written, and what is none has none', () => {
  expect(canonicalLocale('de-ch')).toBe('de-CH');
  expect(canonicalLocale('german!')).toBeUndefined();
});

test('a subject is sent with an e-mail alone, and an empty one is none', () => {
  expect(wordsToSend({ subject: 'Hello', body: 'x' }, 'EMAIL')).toEqual({ subject: 'Hello', body: 'x' });
  expect(wordsToSend({ subject: ' ', body: 'x' }, 'EMAIL')).toEqual({ subject: null, body: 'x' });
  expect(wordsToSend({ subject: 'Hello', body: 'x' }, 'SMS')).toEqual({ subject: null, body: 'x' });
});

test('words for several that were there and are emptied are sent, so that they are refused; else nothing is', () => {
  const emptied = { severalSubject: 'Several', severalBody: ' \n' };
  expect(severalToSend(emptied, 'EMAIL', true)).toEqual({ subject: 'Several', body: '' });
  expect(severalToSend(emptied, 'EMAIL')).toBeUndefined();
});

test('a letter goes out in its own language, else in a wider one that has words for it, else in English', () => {
  const several = { subject: null, body: '{{#renewals}}{{service}}{{/renewals}}' };
  const written = (locale: string, has: boolean, rung: Template['rung'] = '30') =>
    ({ rung, channel: 'SMS', locale, several: has ? several : null }) as Template;
  const all = [written('en', true), written('de', true), written('de-CH', false), written('fr', false)];
  const of = (locale: string) => languageOfSeveral(all, { rung: '30', channel: 'SMS', locale });
  expect(['en', 'de', 'de-CH', 'fr'].map(of)).toEqual([null, null, 'de', 'en']);
  expect(languageOfSeveral([...all, written('fr', true, '60')], { rung: '30', channel: 'SMS', locale: 'fr' })).toBe(
    'en',
  );
});

test('words are tried with a renewal that stands where the alert goes out', () => {
  const today = new Date('2026-02-27T15:00:00Z');
  expect(exampleFor('7', today)).toEqual({ due_date: '2026-03-06', days: 7 });
  expect(exampleFor('OVERDUE', today)).toEqual({ due_date: '2026-02-24', days: -3 });
});

test('a variable goes in at the caret, in place of what is selected', () => {
  expect(withInserted('Dear , hello', '{{name}}', 5, 5)).toBe('Dear {{name}}, hello');
  expect(withInserted('Dear X, hello', '{{name}}', 5, 6)).toBe('Dear {{name}}, hello');
});
