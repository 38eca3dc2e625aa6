import { isCertificateError } from '@ops/bus/certificate-error';
import { badGateway, gatewayTimeout, type ProblemError, unavailable } from '@ops/service-kit/errors';
import { reachedNobody } from '@ops/service-kit/never-begun';

export class ConnectTimeout extends Error {
  override name = 'ConnectTimeout';
}

/**
 * What a caller is told when a service could not answer: 503 with Retry-After when it cannot be reached, 504 when it took
 * the request and stayed silent, 502 when it broke off or talked nonsense. After 502 and 504 the request may have had its
 * effect; an Idempotency-Key makes asking again safe.
 */
export function upstreamFailure(service: string, error: Error, timedOut: boolean): ProblemError {
  if (error instanceof ConnectTimeout || reachedNobody(error) || isCertificateError(error))
    return unavailable(`${service} cannot be reached at the moment`, 2, error);
  if (timedOut) return gatewayTimeout(`${service} took too long`);
  return badGateway(`${service} broke off its answer`);
}
