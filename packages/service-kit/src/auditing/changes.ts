import { randomBytes } from 'node:crypto';
import { canonical, fingerprintOf } from '../fingerprint.ts';

/** What is known of a thing, by the names its resource has for them. */
export type Facts = Readonly<Record<string, unknown>>;

export interface Change {
  field: string;
  old: unknown;
  new: unknown;
}

/** Fields that are not the same, in the order of what is so now; of what was not there before, those that say something. */
export function changesBetween(before: Facts, after: Facts): Change[] {
  return Object.keys({ ...after, ...before })
    .map((field) => ({ field, old: before[field] ?? null, new: after[field] ?? null }))
    .filter((change) => canonical(change.old) !== canonical(change.new));
}

export interface Sealable {
  salt: string;
  digests: Record<'field' | 'old' | 'new', string>[];
}

/** Without the salt nobody can try values until one fits, and the salt goes with the values. */
export function sealable(changes: readonly Change[], salt = randomBytes(16).toString('base64url')): Sealable {
  const digest = (field: string, value: unknown) => fingerprintOf([salt, field, value]);
  const digests = changes.map(({ field, old, new: now }) => ({
    field,
    old: digest(field, old),
    new: digest(field, now),
  }));
  return { salt, digests };
}
