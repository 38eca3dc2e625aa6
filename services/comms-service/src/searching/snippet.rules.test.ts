import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { snippetOf } from './snippet.rules.ts';

const marked = (texts: string[], q: string) =>
  snippetOf(texts, q)
    .map(({ text, hit }) => (hit ? `[${text}]` : text))
    .join('');

test.each([
  ['The passport is here', 'pass', 'The [passport] is here'],
  ['Grüße aus München', 'MUNCHEN grusse', '[Grüße] aus [München]'],
  ['A Autorização está pronta', 'autorizacao', 'A [Autorização] está pronta'],
  ['Привет, мир', 'прив', '[Привет], мир'],
  ['At 5, not at 55', '5', 'At [5], not at 55'],
  ['Police AB-12/34', 'ab 12', 'Police [AB]-[12]/34'],
  ['Nothing of it', 'other', 'Nothing of it'],
])('of "%s" the search for "%s" shows "%s"', (text, q, shown) => {
  expect(marked([text], q)).toBe(shown);
});

test('the first text that has one of the words is shown, and of a long one what is around the first', () => {
  expect(marked(['Nothing', 'Something'], 'some')).toBe('[Something]');
  const long = `${'before '.repeat(50)}passport ${'after '.repeat(50)}`;
  expect(marked([long], 'passport')).toMatch(/^… (before )+\[passport\] (after )+.* …$/);
  expect(marked([long], 'passport').length).toBeLessThan(220);
});

test('whatever the text, no more than a part of it is shown, in order, and every hit apart', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 600 }),
      fc.string({ minLength: 1, maxLength: 5 }),
      (text, q) => {
        const snippet = snippetOf([text], q);
        const said = snippet.map((piece) => piece.text).join('');
        expect(said.length).toBeLessThanOrEqual(210);
        expect(said.isWellFormed()).toBe(true);
      },
    ),
  );
});
