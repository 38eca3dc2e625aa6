/** Somebody whom a note is to tell of itself, as they are called in it. */
export interface Mentioned {
  id: string;
  name: string;
}

const escaped = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Any of these names after its sign, and no longer word; the longest first, as one name may begin another. */
function named(names: readonly string[]): RegExp {
  const longestFirst = names.toSorted((one, other) => other.length - one.length);
  return new RegExp(`@(?:${longestFirst.map(escaped).join('|')})(?![\\p{L}\\p{N}])`, 'gu');
}

/** Those whose name is still in the words. */
export function stillNamed(words: string, mentions: readonly Mentioned[] = []): readonly Mentioned[] {
  if (mentions.length === 0) return [];
  const found = new Set(words.match(named(mentions.map(({ name }) => name))));
  return mentions.filter(({ name }) => found.has(`@${name}`));
}

/** With somebody more, once each. */
export const withMention = (mentions: readonly Mentioned[] = [], one: Mentioned): readonly Mentioned[] => [
  ...mentions.filter(({ id }) => id !== one.id),
  { id: one.id, name: one.name },
];

export interface Piece {
  text: string;
  isName: boolean;
}

/** The words in pieces: where they name somebody, and what stands between. */
export function piecesOf(words: string, names: readonly string[]): Piece[] {
  if (names.length === 0) return [{ text: words, isName: false }];
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: text, index } of words.matchAll(named(names))) {
    pieces.push({ text: words.slice(at, index), isName: false }, { text, isName: true });
    at = index + text.length;
  }
  return [...pieces, { text: words.slice(at), isName: false }].filter(({ text }) => text !== '');
}
