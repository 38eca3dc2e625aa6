import { createHash } from 'node:crypto';

/** Two values that mean the same have the same: the order of fields and the white space do not count. */
export function fingerprintOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_name, one) => (isPlainObject(one) ? sorted(one) : one));
  return createHash('sha256').update(canonical).digest('hex');
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const sorted = (value: object) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
