import { z } from 'zod';
import './plain-words.ts';

/** Postgres cannot store U+0000, and a lone surrogate is not text at all. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** For what must not be lost for one: of people's own words both are refused by name, not stored mangled. */
export const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** Text a person wrote: between `min` and `max` characters, storable as it stands. */
export const text = (min: number, max: number) =>
  z.string().min(min).max(max).refine(isStorable, 'must not contain NUL bytes or unpaired surrogates');

/** A UTC instant, RFC 3339. */
export const instant = z.iso.datetime({ offset: true }).meta({ description: 'UTC instant, RFC 3339' });

/** A plain calendar date, never an instant; of a time in which things expire. */
export const plainDate = z.iso
  .date()
  .refine((value) => value >= '1900-01-01' && value <= '2199-12-31', 'must be from 1900-01-01 to 2199-12-31')
  .meta({ description: 'Plain date, YYYY-MM-DD, from 1900-01-01 to 2199-12-31' });

/** UUIDv7 for everything the system creates itself. */
export const recordId = z.uuid();

/** The firm's own string. */
export const customerId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be 1-64 letters, digits or . _ : -')
  .meta({ description: "The firm's own identifier of the customer", example: 'C-1001' });

/** Yes or no in a query. A default is given as a `prefault`, or the OpenAPI document would not tell of it. */
export const flag = z.enum(['true', 'false']).transform((given) => given === 'true');

/** A language as words are kept by it. */
export const languageTag = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en or de-CH');

/** A person or system that acts: the subject of its token. */
export const subject = text(1, 200);
