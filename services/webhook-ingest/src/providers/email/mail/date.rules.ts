import { firstValue, type Mail } from './mail.rules.ts';
import { minutesEast } from './zone.rules.ts';

const longest = 100;

/** As its writer's clock had it, whether or not it can be true. */
export const dateOf = (mail: Mail): Date | undefined =>
  dateIn(firstValue(mail, 'date')?.slice(0, longest) ?? '') ?? undefined;

/**
 * A date in any of the forms that programs write, with its words in any order; a time without a zone, or with one that
 * nobody knows, is taken for UTC, wherever this runs. Null for what is none, or could be two.
 */
export function dateIn(given: string): Date | null {
  const text = withoutComments(given);
  const clock = clockIn(text);
  const day = clock && dayIn(text.replace(clock.found, ' '));
  const east = clock && minutesEast(text.slice(text.indexOf(clock.found) + clock.found.length));
  if (!clock || !day || east === null || east === undefined) return null;
  const { hours, minutes, seconds } = clock;
  const date = new Date(0);
  date.setUTCFullYear(day.year, day.month - 1, day.day);
  if (date.getUTCDate() !== day.day || date.getUTCMonth() !== day.month - 1) return null;
  date.setUTCHours(hours, minutes - east, 0, Math.round(seconds * 1000));
  return date;
}

/** A comment may stand in another. */
function withoutComments(text: string): string {
  let depth = 0;
  let kept = '';
  for (const letter of text) {
    if (letter === '(') depth++;
    if (depth === 0) kept += letter;
    if (letter === ')' && depth > 0) depth--;
  }
  return kept;
}

interface Clock {
  found: string;
  hours: number;
  minutes: number;
  seconds: number;
}

const clocks = [
  /(?:^|[\sT])(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,9})?))?(?:\s*([ap])\.?m\b\.?)?/i,
  /\s(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?=\s|$)(?:\s*([ap])\.?m\b\.?)?/i,
  /T(\d{2})(\d{2})(\d{2})?(?!\d)()/,
];

function clockIn(text: string): Clock | null {
  for (const pattern of clocks) {
    const [found, hour, minute, second = '0', half = ''] = pattern.exec(text) ?? [];
    if (found === undefined) continue;
    const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
    const clock = { found, hours, minutes: Number(minute), seconds: Number(second.replace(',', '.')) };
    return hours < 24 && clock.minutes < 60 && clock.seconds < 61 ? clock : null;
  }
  return null;
}

interface Day {
  year: number;
  month: number;
  day: number;
}

function dayIn(text: string): Day | null {
  const [, year, month, day] = /(?<!\d)(\d{4})([-/.]?)(\d{2})\2(\d{2})(?!\d)/.exec(text)?.toSpliced(2, 1) ?? [];
  if (year !== undefined) return { year: Number(year), month: Number(month), day: Number(day) };
  return dayInWords(text) ?? dayInNumbers(text);
}

/** 5 May 2026, May 5 2026, 5-May-26. Of two words that may be months the first is a day: "mar. 5 mai". */
function dayInWords(text: string): Day | null {
  const month = (text.match(/\p{L}{3,}/gu) ?? []).map(monthOf).findLast((found) => found > 0);
  const [first = '', second] = text.match(/(?<![\d:+])(?<!\s-)\d{1,4}(?![\d:])/g) ?? [];
  if (month === undefined || second === undefined) return null;
  const [day, year] = first.length > 2 ? [second, first] : [first, second];
  return { year: yearOf(year), month, day: Number(day) };
}

/** 05.05.2026, or with slashes where only one of the two can be the month. */
function dayInNumbers(text: string): Day | null {
  const [, first, sign, second, year] = /(?<!\d)(\d{1,2})([./])(\d{1,2})\2(\d{2}|\d{4})(?!\d)/.exec(text) ?? [];
  if (year === undefined) return null;
  const [one, other] = [Number(first), Number(second)];
  if (sign === '.' || one > 12 || one === other) return { year: yearOf(year), month: other, day: one };
  return other > 12 ? { year: yearOf(year), month: one, day: other } : null;
}

/** By its first letters, in the languages that programs write into mails. */
const months = [
  'jan|ene|gen',
  'feb|fév',
  'mar|mär|mrz|mrt',
  'apr|avr|abr',
  'may|mai|mei|mag',
  'jun|juin|giu',
  'jul|juil|lug',
  'aug|aoû|ago',
  'sep|set',
  'oct|okt|ott',
  'nov',
  'dec|dez|déc|dic',
];

function monthOf(word: string): number {
  const begins = (month: string) => month.split('|').some((letters) => word.toLowerCase().startsWith(letters));
  return months.findIndex(begins) + 1;
}

/** Two figures are of this century up to 49, and three count from 1900, as the rules of mail have it. */
function yearOf(figures: string): number {
  const year = Number(figures);
  if (figures.length <= 2) return year + (year < 50 ? 2000 : 1900);
  return figures.length === 3 ? year + 1900 : year;
}
