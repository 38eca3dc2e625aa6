/** Which of the addresses that are sent a line is; undefined: an empty one is not. */
export const lineInRequest = (lines: readonly string[], n: number): number | undefined =>
  isEmpty(lines[n] ?? '') ? undefined : lines.slice(0, n).filter((line) => !isEmpty(line)).length;

/** The others stay in their order; empty ones are only in the way. */
export const withLineFirst = (lines: readonly string[], first: string): string[] => [
  first,
  ...lines.filter((line) => line !== first && !isEmpty(line)),
];

/** One is always left to write on. */
export const withoutLine = (lines: readonly string[], n: number): string[] =>
  lines.length === 1 ? [''] : lines.toSpliced(n, 1);

const isEmpty = (line: string) => line.trim() === '';
