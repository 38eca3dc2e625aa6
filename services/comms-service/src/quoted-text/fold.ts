import {
  isAttribution,
  isBlank,
  isClosing,
  isDivider,
  isForward,
  isHeadOfMail,
  isQuoted,
  isSentFrom,
  isSignatureDash,
  isSignatureRule,
  opensAttribution,
} from './quote-marks.ts';

/** `visible + quoted` is the text, to the character. */
export interface Folded {
  visible: string;
  quoted: string | null;
}

/** What is looked at of a line: an attribution is never longer, and a pattern never sees more. */
const LONGEST_MARK = 400;
const LINES_OF_ATTRIBUTION = 3;
const LINES_OF_HEAD = 8;
const LINES_OF_SIGNATURE = 12;
const LINES_AFTER_CLOSING = 6;
const LONGEST_AFTER_CLOSING = 70;
const WRAPPED_FROM = 60;

/**
 * Parts what somebody wrote from the mail he answers and from his signature, which stand at the end. Between quotes
 * nothing is folded: an answer below its question stays beside it. When in doubt, all is shown.
 */
export function fold(text: string): Folded {
  const lines = text.split('\n');
  const marks = lines.map((line) => line.slice(0, LONGEST_MARK).replace(/\r$/, ''));
  const quoteStart = startOfQuote(marks);
  const start = startOfSignature(marks, quoteStart);
  const cut = lines.slice(0, start).reduce((length, line) => length + line.length + 1, 0);
  const visible = text.slice(0, cut).trimEnd();
  if (start >= lines.length || visible === '') return { visible: text, quoted: null };
  return { visible, quoted: text.slice(visible.length) };
}

/** The first line of the mail that is answered, or the number of lines. */
function startOfQuote(lines: readonly string[]): number {
  const tail = startOfQuotedTail(lines);
  for (let at = 0; at < tail; at++) {
    const line = lines[at] ?? '';
    if (isForward(line)) return lines.length;
    if (isDivider(line) || isHeadOfMail(line, lines.slice(at + 1, at + LINES_OF_HEAD))) return at;
    const length = lengthOfAttribution(lines, at);
    if (length > 0 && reachesTheEnd(lines, at + length, tail)) return at;
  }
  return tail;
}

/** What follows an attribution is the mail answered; but where it is marked as quoted, only as far as the marks go. */
function reachesTheEnd(lines: readonly string[], from: number, tail: number): boolean {
  let next = from;
  while (next < lines.length && isBlank(lines[next] ?? '')) next++;
  return next < lines.length && (next >= tail || !isQuoted(lines[next] ?? ''));
}

/** Where the lines begin of which each to the end is quoted; the number of lines if the last one is not. */
function startOfQuotedTail(lines: readonly string[]): number {
  let start = lines.length;
  for (let at = lines.length - 1; at >= 0; at--) {
    if (isQuoted(lines[at] ?? '')) start = at;
    else if (!isBlank(lines[at] ?? '') && !(start === at + 1 && isWrapped(lines, at))) break;
  }
  return start;
}

/** A long quoted line that a program broke, leaving its end without a mark. */
const isWrapped = (lines: readonly string[], at: number): boolean => {
  const before = lines[at - 1] ?? '';
  return isQuoted(before) && before.length >= WRAPPED_FROM;
};

function lengthOfAttribution(lines: readonly string[], at: number): number {
  if (isAttribution(lines[at] ?? '')) return 1;
  if (!opensAttribution(lines[at] ?? '')) return 0;
  for (let length = 2; length <= LINES_OF_ATTRIBUTION; length++) {
    const last = lines[at + length - 1] ?? '';
    if (isBlank(last) || isQuoted(last) || isAttribution(last)) return 0;
    if (isAttribution(joined(lines, at, length))) return length;
  }
  return 0;
}

const joined = (lines: readonly string[], at: number, length: number): string =>
  lines
    .slice(at, at + length)
    .map((line) => line.trim())
    .join(' ')
    .slice(0, LONGEST_MARK);

/** The signature that ends what was written: short, and nothing but. */
function startOfSignature(lines: readonly string[], end: number): number {
  const first = Math.max(0, end - LINES_OF_SIGNATURE * 2);
  for (let at = first; at < end; at++) {
    const after = lines.slice(at + 1, end).filter((line) => !isBlank(line));
    if (isSignature(lines[at] ?? '', lines[at - 1] ?? '', after)) return at;
  }
  return end;
}

function isSignature(line: string, before: string, after: readonly string[]): boolean {
  if (isSignatureDash(line)) return after.length <= LINES_OF_SIGNATURE;
  if (isSignatureRule(line)) return after.length <= LINES_OF_SIGNATURE && after.every(isOfSignature);
  if (isSentFrom(line)) return isBlank(before) && after.every((next) => isSentFrom(next) || isSignatureRule(next));
  return isClosing(line) && after.length <= LINES_AFTER_CLOSING && after.every(isOfSignature);
}

/** A name, a firm, a number: no question, no sentence and no afterthought. */
const isOfSignature = (line: string): boolean =>
  isSentFrom(line) ||
  (line.length <= LONGEST_AFTER_CLOSING && !/[?？]|^\s?p\.?\s?p?\.?s\b/iu.test(line) && !isSentence(line));

const FEWEST_WORDS_OF_SENTENCE = 4;

/** Where most words are written small, somebody says something. */
function isSentence(line: string): boolean {
  const words = line.trim().split(/\s+/);
  const small = words.filter((word) => /^\p{Ll}/u.test(word));
  return words.length >= FEWEST_WORDS_OF_SENTENCE && small.length * 2 >= words.length;
}
