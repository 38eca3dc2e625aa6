import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const acceptableId = /^[A-Za-z0-9._-]{1,128}$/;
const w3c = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?=$|-)/;

/** The caller's id of the request, where it is well formed; else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && acceptableId.test(given) ? given : randomUUID();
}

/** The W3C trace the caller is in, where it is well formed. */
export function parentOf({ traceparent: given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' ? w3c.exec(given)?.[0] : undefined;
}
