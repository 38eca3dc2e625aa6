import {
  hasAddressOrTime,
  isAttribution,
  isBlank,
  isDivider,
  isForward,
  isForwardSubject,
  isHeadLine,
  isHeadOfMail,
  isQuoted,
  isRule,
  isToldToMe,
  opensAttribution,
} from './quote-marks.rules.ts';
import { startOfSignOffs } from './sign-off.rules.ts';

/** `visible + quoted` is the text, to the character. */
export interface Folded {
  visible: string;
  quoted: string | null;
}

/** What is looked at of a line: an attribution is never longer, and a pattern never sees more. */
const LONGEST_MARK = 400;
const LINES_OF_ATTRIBUTION = 3;
const LINES_OF_HEAD = 8;
const WRAPPED_FROM = 60;

/**
 * Parts what somebody wrote from the mail he answers and from sign-offs, which stand at the end. Between quotes nothing is
 * folded: an answer below its question stays beside it. What is forwarded stays too, as that is what is to be read. When in
 * doubt, all is shown.
 */
export function fold(text: string, subject: string | null = null): Folded {
  const lines = text.split('\n');
  const start = startOfRest(lines.map(markOf), isForwardSubject(subject ?? ''));
  const cut = lines.slice(0, start).reduce((length, line) => length + line.length + 1, 0);
  const visible = text.slice(0, cut).trimEnd();
  if (start >= lines.length || visible === '') return { visible: text, quoted: null };
  return { visible, quoted: text.slice(visible.length) };
}

/** A line as it is looked at: composed letters, plain spaces, none of the characters that only turn the direction. */
const markOf = (line: string): string =>
  line
    .slice(0, LONGEST_MARK)
    .replace(/\r$/, '')
    .normalize('NFC')
    .replaceAll(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replaceAll(/[\u00a0\u202f]/g, ' ');

/** The first line of what is folded, or the number of lines. */
function startOfRest(lines: readonly string[], forwarded: boolean): number {
  const end = startOfSignOffs(lines, lines.length);
  const quote = startOfQuote(lines, end);
  if (quote === 'forwarded' || (forwarded && quote < end)) return lines.length;
  return quote < end ? startOfSignOffs(lines, belowRule(lines, quote)) : end;
}

/** The first line of the mail that is answered, or `end`. */
function startOfQuote(lines: readonly string[], end: number): number | 'forwarded' {
  const tail = startOfQuotedTail(lines, end);
  for (let at = 0; at < tail; at++) {
    if (isForward(lines[at] ?? '')) return 'forwarded';
    const length = lengthOfHead(lines, at);
    if (length > 0 && reachesTheEnd(lines, at, length, tail)) return at;
  }
  return tail;
}

/** How many lines from here on say that an earlier mail follows. */
function lengthOfHead(lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (!isDivider(line) && !isHeadOfMail(line, lines.slice(at + 1, at + LINES_OF_HEAD)))
    return lengthOfAttribution(lines, at);
  let length = 1;
  while (length < LINES_OF_HEAD && (isHeadLine(lines[at + length] ?? '') || isBlank(lines[at + length] ?? '')))
    length++;
  return length;
}

/**
 * What follows is the mail answered; but where it is marked as quoted, only as far as the marks go. Unmarked it must be
 * said whose it is: "on 5 May you wrote:" people write themselves.
 */
function reachesTheEnd(lines: readonly string[], at: number, length: number, tail: number): boolean {
  let next = at + length;
  while (next < lines.length && isBlank(lines[next] ?? '')) next++;
  const head = joined(lines, at, length);
  if (next >= tail) return next < lines.length || !isAttribution(head);
  return !isQuoted(lines[next] ?? '') && (!isAttribution(head) || (hasAddressOrTime(head) && !isToldToMe(head)));
}

/** Where the lines begin of which each to the end is quoted; `end` if the last one is not. */
function startOfQuotedTail(lines: readonly string[], end: number): number {
  let start = end;
  for (let at = end - 1; at >= 0; at--) {
    if (isQuoted(lines[at] ?? '')) start = at;
    else if (!isBlank(lines[at] ?? '') && !(start === at + 1 && isWrapped(lines, at))) break;
  }
  return start;
}

/** The end of a long quoted line that a program broke, without a mark. An answer there begins large, or after a question. */
const isWrapped = (lines: readonly string[], at: number): boolean => {
  const before = lines[at - 1] ?? '';
  return (
    /^\p{Ll}/u.test(lines[at] ?? '') && isQuoted(before) && before.length >= WRAPPED_FROM && !/[.?!:]\s*$/.test(before)
  );
};

/** The line that was drawn above, if there is one. */
function belowRule(lines: readonly string[], quote: number): number {
  let above = quote - 1;
  while (above > 0 && isBlank(lines[above] ?? '')) above--;
  return isRule(lines[above] ?? '') ? above : quote;
}

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
