import { expect, test } from '@jest/globals';
import { exampleIn, inALine, languagesOf, sorted, trimmed, withLabel } from './service-labels.ts';

test('there is a field for each language of the templates, and for what is said already', () => {
  expect(languagesOf({ fr: 'Permis' }, [{ locale: 'en' }, { locale: 'de' }, { locale: 'en' }])).toEqual([
    'de',
    'en',
    'fr',
  ]);
});

test('typing a label and emptying it again changes nothing', () => {
  const saved = sorted({ fr: 'Permis', de: 'Ausweis' });
  const again = withLabel(withLabel(withLabel(saved, 'de', ''), 'de', 'Ausweis'), 'en', '');
  expect(JSON.stringify(again)).toBe(JSON.stringify(saved));
});

test('a label is sent without the blanks around it, and none that is blank', () => {
  expect(trimmed({ de: ' Ausweis ', fr: '  ' })).toEqual({ de: 'Ausweis' });
  expect(inALine({ de: 'Ausweis', fr: 'Permis' })).toBe(', de: Ausweis, fr: Permis');
});

test('a preview names a service as the message would', () => {
  const types = [{ label: 'Residence permit', labels: { de: 'Aufenthaltstitel' } }];
  expect(['de', 'de-CH'].map((language) => exampleIn(language, types))).toEqual(Array(2).fill('Aufenthaltstitel'));
  expect(['en', 'fr'].map((language) => exampleIn(language, types))).toEqual(Array(2).fill('Residence permit'));
  expect(exampleIn('de', [])).toBe('Residence permit');
});
