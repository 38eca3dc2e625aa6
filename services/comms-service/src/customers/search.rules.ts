import type { CountryCode } from 'libphonenumber-js';
import { foldName } from '../fold-name.rules.ts';
import { literally } from '../like.rules.ts';
import { readPhone } from './identifier.rules.ts';

/** LIKE patterns for what somebody typed into the search field; any one that matches finds the customer. */
export interface SearchPatterns {
  name: string;
  id: string;
  email: string;
  phones: string[];
}

export function searchPatterns(query: string, region: CountryCode | undefined): SearchPatterns {
  const typed = query.normalize('NFC').trim();
  return {
    name: `%${literally(foldName(query))}%`,
    id: `${literally(typed.toLowerCase())}%`,
    email: `%${literally(typed.toLowerCase())}%`,
    phones: phonePatterns(query.normalize('NFKC').trim(), region),
  };
}

const NOT_OF_A_PHONE = /[^\d\s()./+-]/;
const FEWEST_DIGITS = 3;

/**
 * With `+` the number begins so; without, the digits stand anywhere in it. Zeros in front are the national or the
 * international prefix, which E.164 leaves out. One or two digits would find everybody, and are more likely an id.
 */
function phonePatterns(typed: string, region: CountryCode | undefined): string[] {
  if (NOT_OF_A_PHONE.test(typed)) return [];
  const digits = typed.replace('(0)', '').replace(/\D/g, '');
  if (typed.startsWith('+')) return digits ? [`+${digits}%`] : [];
  const significant = digits.replace(/^0+/, '');
  if (digits.length < FEWEST_DIGITS || significant === '') return [];
  const whole = region ? readPhone(typed, region) : undefined;
  return [`%${significant}%`, ...(whole && 'value' in whole ? [whole.value] : [])];
}
