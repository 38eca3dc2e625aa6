import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Trace } from '@ops/bus/trace';
import { v7 as uuidv7 } from 'uuid';

const acceptableId = /^[A-Za-z0-9._-]{1,128}$/;
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?=$|-)/;

/** Goes on with the caller's request id and W3C trace where they are well formed, and begins new ones where not. */
export function traceOf(headers: IncomingHttpHeaders): Trace {
  return { requestId: requestIdOf(headers['x-request-id']), traceparent: nextTraceparent(headers.traceparent) };
}

function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && acceptableId.test(given) ? given : uuidv7();
}

/** The same trace, a span of our own. */
function nextTraceparent(given: string | string[] | undefined): string {
  const [, traceId, flags] = (typeof given === 'string' && traceparent.exec(given)) || [];
  return `00-${traceId ?? randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-${flags ?? '01'}`;
}
