import { digestOf } from '../digest.ts';
import { type Fields, text } from '../untrusted.ts';

/** One change of one entry: who of us it is about, and what it says. */
export interface Change {
  account: string;
  /** Our number as people write it. */
  ourNumber: string | null;
  value: Fields;
  receivedAt: Date;
}

/** For what has no id of its own: the same words are the same item. */
export const idByContent = (value: Fields): string => digestOf(JSON.stringify(value));

/** Seconds, as text. */
export function timeOf(timestamp: unknown): Date | undefined {
  const seconds = Number(text(timestamp) ?? Number.NaN);
  return Number.isFinite(seconds) ? new Date(seconds * 1000) : undefined;
}
