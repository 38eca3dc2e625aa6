import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync, randomUUID } from 'node:crypto';
import type { Envelope } from '@ops/contracts/envelope';

/** The request or event being worked on; log lines and outgoing events carry it on. */
export interface Trace {
  requestId: string;
  traceparent: string;
}

export const currentTrace = new AsyncLocalStorage<Trace>();

/** The trace an event belongs to; one that came without begins its own. */
export const traceOf = (event: Envelope): Trace => ({
  requestId: event.requestid ?? event.id,
  traceparent: event.traceparent ?? nextTraceparent(undefined),
});

export const newTrace = (requestId: string = randomUUID()): Trace => ({
  requestId,
  traceparent: nextTraceparent(undefined),
});

/** The same trace, a step of our own; or a new one. */
export function nextTraceparent(parent: string | undefined): string {
  const [, traceId, , flags] = parent?.split('-') ?? [];
  return `00-${traceId ?? randomHex(16)}-${randomHex(8)}-${flags ?? '01'}`;
}

/** Random bytes, each used once: asking for them a few at a time costs more than all else here. */
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}
