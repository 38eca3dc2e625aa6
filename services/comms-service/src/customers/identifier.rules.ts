import type { FieldError } from '@ops/contracts/problem';
import { type CountryCode, ParseError, parsePhoneNumberWithError } from 'libphonenumber-js';

export type Read = { value: string } | { problem: string };

/**
 * A phone number as it is stored and compared: E.164. Numbers that a numbering plan calls invalid are kept, for some
 * of them answer (mobile prefixes change faster than plans are published). Full-width digits first become plain ones,
 * else the library reads them as belonging to the default region.
 */
export function readPhone(typed: string, region: CountryCode | undefined): Read {
  const text = typed.normalize('NFKC').trim();
  try {
    const phone = parsePhoneNumberWithError(text, { extract: false, ...(region && { defaultCountry: region }) });
    return phone.ext ? { problem: 'must not have an extension' } : { value: phone.number };
  } catch (error) {
    if (error instanceof ParseError) return { problem: phoneProblem(error.message, text) };
    throw error;
  }
}

function phoneProblem(reason: string, text: string): string {
  if (reason === 'TOO_SHORT') return 'is too short for a phone number';
  if (reason === 'TOO_LONG') return 'is too long for a phone number';
  if (reason !== 'INVALID_COUNTRY') return 'is not a phone number';
  if (text.startsWith('+')) return 'begins with an unknown country code';
  return 'must be written with its country code, such as +41 79 123 45 67';
}

// No quotes, brackets, separators or control characters: what is stored here ends up in mail headers.
const PLAUSIBLE_EMAIL =
  /^[^\s\p{Cc}@<>()[\],;:"\\]{1,64}@[^\s\p{Cc}\p{P}]([^\s\p{Cc}@<>()[\],;:"\\]*[^\s\p{Cc}\p{P}])?$/u;

/** An e-mail address as it is stored and compared: lower-case. Its shape is checked, not whether anybody reads it. */
export function readEmail(typed: string): Read {
  const value = typed.normalize('NFC').trim().toLowerCase();
  const domain = value.slice(value.lastIndexOf('@') + 1);
  const plausible = value.length <= 254 && PLAUSIBLE_EMAIL.test(value) && /[^.]\.[^.]/.test(domain);
  return plausible && !domain.includes('..') ? { value } : { problem: 'must be an e-mail address' };
}

/** Reads each, naming those that cannot be read by their place; the same one twice counts once, at its first place. */
export function readAll(field: string, typed: readonly string[], read: (text: string) => Read) {
  const values = new Set<string>();
  const problems: FieldError[] = [];
  for (const [index, text] of typed.entries()) {
    const result = read(text);
    if ('value' in result) values.add(result.value);
    else problems.push({ path: `${field}.${index}`, message: result.problem });
  }
  return { values: [...values], problems };
}
