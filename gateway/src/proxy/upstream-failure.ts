import { isCertificateError } from '@ops/bus/certificate-error';
import { badGateway, gatewayTimeout, type ProblemError, unavailable } from '@ops/service-kit/errors';

/** Nothing was reached, so nothing can have happened: asking again soon is safe for any method. */
const neverReached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']);

export class ConnectTimeout extends Error {
  override name = 'ConnectTimeout';
}

/**
 * What a caller is told when a service could not answer: 503 with Retry-After when it cannot be reached, 504 when it took
 * the request and stayed silent, 502 when it broke off or talked nonsense. After 502 and 504 the request may have had its
 * effect; an Idempotency-Key makes asking again safe.
 */
export function upstreamFailure(service: string, error: Error, timedOut: boolean): ProblemError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const reached = !(neverReached.has(code) || everyAddressRefused(error) || isCertificateError(error));
  if (error instanceof ConnectTimeout || !reached)
    return unavailable(`${service} cannot be reached at the moment`, 2, error);
  if (timedOut) return gatewayTimeout(`${service} took too long`);
  return badGateway(`${service} broke off its answer`);
}

/** A name with several addresses fails with one error for each. */
function everyAddressRefused(error: Error): boolean {
  return error instanceof AggregateError && error.errors.every((one) => neverReached.has(one?.code));
}
