/** What a service says of itself, made to stand on its own. */
export const asSentence = (words: string): string =>
  words.charAt(0).toLocaleUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.');
