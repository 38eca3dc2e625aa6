import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fold } from './fold.rules.ts';

interface Sample {
  name: string;
  subject: string | null;
  shown: string;
  folded: string;
}

/**
 * A file a language: `=== name | subject` begins a sample, and below `~~~` stands what is to be folded. What a reader would
 * not see is written as in `\u0020`.
 */
const directory = join(import.meta.dirname, 'samples');
const samples = readdirSync(directory).flatMap((file) => samplesOf(file, readFileSync(join(directory, file), 'utf8')));

function samplesOf(file: string, text: string): Sample[] {
  const [, ...parts] = text.split(/^=== /m);
  return parts.map((part) => {
    const [head = '', ...lines] = part.trimEnd().split('\n');
    const [name = '', subject = null] = head.split(' | ');
    const written = lines
      .join('\n')
      .replaceAll(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
    const [shown = '', folded = ''] = written.split(/^~~~\n/m);
    return { name: `${file}: ${name}`, subject, shown, folded };
  });
}

const results = samples.map((sample) => ({ ...sample, ...fold(sample.shown + sample.folded, sample.subject) }));
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

test('every way of answering is there in every language', () => {
  const counts = readdirSync(directory).map((file) => samples.filter(({ name }) => name.startsWith(file)).length);
  expect(counts).toHaveLength(8);
  expect(Math.min(...counts)).toBeGreaterThan(12);
});

test('no new word is hidden', () => {
  const hidden = results.flatMap(({ name, shown, visible }) => {
    const lost = linesOf(shown.trimEnd().slice(visible.length));
    return visible.length < shown.trimEnd().length ? [[name, lost]] : [];
  });
  expect(hidden).toEqual([]);
});

test('hardly a line that was quoted, or signs off, is shown', () => {
  const shownToo = results.flatMap(({ name, shown, visible }) =>
    linesOf(visible.slice(shown.trimEnd().length)).map((line) => [name, line]),
  );
  const all = results.flatMap(({ folded }) => linesOf(folded));
  expect(shownToo.length < all.length * 0.05 ? [] : shownToo).toEqual([]);
});
