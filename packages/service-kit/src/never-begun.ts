const neverReached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']);

/**
 * Nothing was reached, so nothing can have happened: asking again is safe for any method. A host may be out of reach to a connection
 * that is made, too, after it carried what was asked. A name with several addresses fails with one error for each.
 */
export function reachedNobody(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(reachedNobody);
  const { syscall = '' } = (error ?? {}) as NodeJS.ErrnoException;
  return neverReached.has(codeOf(error)) && ['connect', 'getaddrinfo'].includes(syscall);
}

/** The connection ended; of what was sent by it nobody knows what became. */
const brokenOff = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

export const brokeOff = (error: unknown): boolean => brokenOff.has(codeOf(error));

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? '';
