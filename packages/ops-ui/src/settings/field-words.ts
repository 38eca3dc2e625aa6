const plain: [RegExp, (bound: string) => string][] = [
  [/^Too small: expected string to have >=1 char/, () => 'is needed'],
  [/^Too small: expected string to have >=(\d+) char/, (least) => `must have at least ${least} characters`],
  [/^Too big: expected string to have <=(\d+) char/, (most) => `must have at most ${most} characters`],
  [/^Too small: expected number to be >=(\d+)/, (least) => `must be at least ${least}`],
  [/^Too big: expected number to be <=(\d+)/, (most) => `must be at most ${most}`],
  [/^Invalid input: expected (?:number|int)/, () => 'must be a whole number'],
];

/** Why a field was not taken, in words for whoever filled it in. */
export function fieldWords(message: string): string {
  for (const [pattern, words] of plain) {
    const found = pattern.exec(message);
    if (found) return sentence(words(found[1] ?? ''));
  }
  return sentence(message);
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
