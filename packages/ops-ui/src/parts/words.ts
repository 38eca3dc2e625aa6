/** How many of what, such as "1 day" or "1,200 rows". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

/** What a service says of itself, made to stand on its own. */
export const asSentence = (words: string): string =>
  words.charAt(0).toLocaleUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? '' : '.');
