import { hash } from 'node:crypto';

/** Two values that mean the same have the same: the order of fields and the white space do not count. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, one) => (isPlainObject(one) ? sorted(one) : one));

export const fingerprintOf = (value: unknown): string => hash('sha256', canonical(value));

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const sorted = (value: object) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
