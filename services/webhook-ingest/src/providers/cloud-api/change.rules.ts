import { digestOf } from '../digest.ts';
import { type Fields, text } from '../untrusted.rules.ts';

/** One change of one entry: who of us it is about, and what it says. */
export interface Change {
  /** What the provider calls this kind of news. */
  field: string;
  account: string;
  /** Our number as people write it. */
  ourNumber: string | null;
  value: Fields;
  receivedAt: Date;
}

/** For what has no id of its own: the same words are the same item. */
export const idByContent = (value: Fields): string => digestOf(JSON.stringify(value));

/** The time of a message, which the provider gives as seconds in text. */
export function timeOf(timestamp: unknown): Date | undefined {
  const seconds = Number(text(timestamp) ?? Number.NaN);
  return Number.isFinite(seconds) ? new Date(seconds * 1000) : undefined;
}

const earliest = Date.UTC(2009, 0, 1);

/** What was said before we listened keeps its own time, however long ago; it was not said after we heard of it. */
export function pastTime(at: Date | undefined, receivedAt: Date): string {
  const time = at?.getTime() ?? Number.NaN;
  if (Number.isNaN(time)) return receivedAt.toISOString();
  return new Date(Math.min(Math.max(time, earliest), receivedAt.getTime())).toISOString();
}
