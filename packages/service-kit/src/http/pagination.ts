import type { Page } from '@ops/contracts/pagination';
import { isStorable } from '@ops/contracts/text';
import { z } from 'zod';
import { unprocessable } from '../errors.ts';

/** What a position is made of. `number` is a Postgres integer; `instant` is RFC 3339; `date` is YYYY-MM-DD. */
export type CursorKind = 'string' | 'uuid' | 'instant' | 'date' | 'number';

type CursorParts<Kinds extends readonly CursorKind[]> = {
  -readonly [Index in keyof Kinds]: Kinds[Index] extends 'number' ? number : string;
};

/**
 * The position after a row, as the caller gets it: opaque, safe in an address, and no secret. It grants nothing, since
 * every list filters by itself.
 */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * Anything that `encodeCursor` did not make for such a list is a 422 here and never reaches the database.
 * A keyset on instants needs a `timestamptz(3)` column: a JavaScript Date holds milliseconds, and a finer value would
 * make the next page skip rows.
 */
export function decodeCursor<const Kinds extends readonly CursorKind[]>(
  cursor: string | undefined,
  kinds: Kinds,
): CursorParts<Kinds> | undefined {
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  const fits = Array.isArray(parts) && parts.length === kinds.length && kinds.every((kind, i) => isOf(kind, parts[i]));
  if (!fits) throw unprocessable([{ path: 'cursor', message: 'is not a cursor of this list' }]);
  return parts as CursorParts<Kinds>;
}

/** The store reads one row more than the page holds: whether there is a next page is known without counting. */
export function toPage<T>(rows: T[], limit: number, position: (row: T) => readonly (string | number)[]): Page<T> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next_cursor: rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** UTC and to the microsecond, as we write it; RFC 3339 also knows a year 0, offsets and fractions that Postgres does not. */
const storableInstant = z.iso
  .datetime()
  .max('9999-12-31T23:59:59.999999Z'.length)
  .refine((value) => new Date(value).getUTCFullYear() > 0);

const kindSchemas: Record<CursorKind, z.ZodType> = {
  string: z.string().refine(isStorable),
  uuid: z.guid(),
  instant: storableInstant,
  date: z.iso.date().refine((value) => !value.startsWith('0000')),
  number: z.int32(),
};

const isOf = (kind: CursorKind, value: unknown) => kindSchemas[kind].safeParse(value).success;
