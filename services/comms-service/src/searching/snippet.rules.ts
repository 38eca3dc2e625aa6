import type { Snippet } from '@ops/contracts/resources/search';

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** The shortest word that may be the beginning of one. */
const FEWEST = 3;

/** As `folded` of the schema does it. */
const folded = (word: string): string =>
  word.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').replaceAll('ß', 'ss');

const isHit = (word: string, asked: readonly string[]): boolean =>
  asked.some((one) => (one.length < FEWEST ? word === one : word.startsWith(one)));

const before = 60;
const after = 140;

/** Some of the first of these texts that has one of the words, around it, with each that is in there apart. */
export function snippetOf(texts: readonly string[], q: string): Snippet {
  const asked = (q.match(WORD) ?? []).map(folded);
  for (const text of texts) {
    const hits = [...text.matchAll(WORD)].filter(([word]) => isHit(folded(word), asked));
    if (hits[0]) return around(text, hits);
  }
  return cut(texts[0] ?? '', 0, []);
}

function around(text: string, hits: RegExpExecArray[]): Snippet {
  const first = hits[0]?.index ?? 0;
  // A whole word at the beginning, where there is a space to begin after.
  const space = text.indexOf(' ', Math.max(first - before, 0));
  return cut(text, first <= before ? 0 : space >= 0 && space < first ? space + 1 : first, hits);
}

function cut(text: string, from: number, hits: RegExpExecArray[]): Snippet {
  const until = Math.min(from + before + after, text.length);
  const pieces: Snippet = [];
  let at = from;
  for (const { index, 0: word } of hits) {
    if (index < at || index + word.length > until) continue;
    pieces.push({ text: text.slice(at, index), hit: false }, { text: word, hit: true });
    at = index + word.length;
  }
  pieces.push({ text: text.slice(at, until), hit: false });
  const isCut = { before: from > 0, after: until < text.length };
  return [{ text: isCut.before ? '… ' : '', hit: false }, ...pieces, { text: isCut.after ? ' …' : '', hit: false }]
    .filter((piece) => piece.text !== '')
    .map((piece) => ({ ...piece, text: piece.text.toWellFormed() }));
}
