import type { CountryCode } from 'libphonenumber-js';
import { foldName } from '../fold-name.rules.ts';
import { readPhone } from './identifier.rules.ts';

/**
 * For what somebody typed into the search field; any one that fits finds the customer. `name`, `email` and `phones` are what
 * some part of it begins with, as Postgres takes it for words; an id is known by how it begins.
 */
export interface SearchPatterns {
  name: string;
  id: string;
  email: string;
  phones: string | null;
}

/** Undefined: nothing was typed, which everybody fits. */
export function searchPatterns(query: string, region: CountryCode | undefined): SearchPatterns | undefined {
  const typed = query.normalize('NFC').trim();
  const name = foldName(query);
  if (typed === '' || name === '') return undefined;
  const phones = phoneParts(query.normalize('NFKC').trim(), region);
  return {
    name: begins(name),
    id: typed.toLowerCase(),
    email: begins(typed.toLowerCase()),
    phones: phones.length === 0 ? null : phones.map(begins).join(' | '),
  };
}

/** The same for whoever has no record of a customer: any one of these, in any part of what is known of them. */
export function senderPattern(query: string, region: CountryCode | undefined): string | undefined {
  const patterns = searchPatterns(query, region);
  return patterns && [patterns.name, patterns.email, patterns.phones].filter((one) => one !== null).join(' | ');
}

/** As long as the parts are that the index has. */
const longest = 64;

const begins = (text: string): string => `'${[...text].slice(0, longest).join('').replace(/[\\']/g, '$&$&')}':*`;

const NOT_OF_A_PHONE = /[^\d\s()./+-]/;
const FEWEST_DIGITS = 3;

/**
 * With `+` the number begins so; without, the digits stand anywhere in it. Zeros in front are the national or the
 * international prefix, which E.164 leaves out. One or two digits would find everybody, and are more likely an id.
 */
function phoneParts(typed: string, region: CountryCode | undefined): string[] {
  if (NOT_OF_A_PHONE.test(typed)) return [];
  const digits = typed.replace('(0)', '').replace(/\D/g, '');
  if (typed.startsWith('+')) return digits ? [`+${digits}`] : [];
  const significant = digits.replace(/^0+/, '');
  if (digits.length < FEWEST_DIGITS || significant === '') return [];
  const whole = region ? readPhone(typed, region) : undefined;
  return [significant, ...(whole && 'value' in whole ? [whole.value] : [])];
}
