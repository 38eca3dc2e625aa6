/** Signed is not well formed: whatever a provider's JSON holds, reading a field of it gives that kind of value or none. */
export type Fields = Readonly<Record<string, unknown>>;

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A number is fine where text was promised; nothing and blanks are not. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** What may have been sent as JSON; undefined if it was not. */
export const json = (body: Buffer): unknown => jsonText(body.toString('utf8'));

export function jsonText(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}
