import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { brokeOff, reachedNobody } from '@ops/service-kit/never-begun';
import type { LimitedBody } from './body-limit.ts';

/** How far a request to a service came. */
interface Try {
  body: Pick<LimitedBody, 'isWhole' | 'errored'>;
  upstream?: Pick<ClientRequest, 'reusedSocket'>;
  tries: number;
  timedOut: boolean;
  settled: boolean;
}

/**
 * Once more, and only what cannot happen twice by it: nobody was reached, or a connection from before ended without a word to
 * a request that only reads, or has a key by which the service takes it once. Else what changes something may have been
 * begun there; a service that stops sees to it that it meets no such connection: docs/decisions/stopping.md
 */
export function mayBeAskedAgain(error: Error, req: IncomingMessage, res: ServerResponse, one: Try): boolean {
  const over = one.settled || one.timedOut || one.body.errored || res.destroyed || res.headersSent;
  if (over || one.tries > 1 || !one.body.isWhole) return false;
  return reachedNobody(error) || (happensOnce(req) && one.upstream?.reusedSocket === true && brokeOff(error));
}

/** Services keep the key of a POST, and of nothing else. */
const happensOnce = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && headers['idempotency-key'] !== undefined);
