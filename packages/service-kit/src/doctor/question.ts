import { type ClockReading, clockLine } from './clock.ts';
import type { Line } from './finding.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  clock: ClockReading | undefined;
}

const mostAnswerBytes = 256 * 1024;

/** One question over HTTP, answered within its time; redirects are answers like any other. Rejects when none came. */
export async function ask(url: string, timeoutMs: number, init: RequestInit = {}): Promise<Answer> {
  const asked = Date.now();
  const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
  const answered = Date.now();
  const body = Buffer.from(await response.arrayBuffer())
    .subarray(0, mostAnswerBytes)
    .toString('utf8');
  const theirs = Date.parse(response.headers.get('date') ?? '');
  const clock = Number.isNaN(theirs) ? undefined : { theirs, asked, answered, resolutionMs: 1_000 };
  return { status: response.status, headers: response.headers, body, clock };
}

/** An answer's own clock, if it has one, beside ours. */
export const clockOf = (url: string, { clock }: Answer): Line[] =>
  clock ? [clockLine('clock', new URL(url).host, clock)] : [];

/** Undefined: not JSON. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
