const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** We gave it along when we sent the message; another sender under the same account may give something else. */
export const attemptId = (given: string | null | undefined): string | null =>
  given != null && uuid.test(given) ? given.toLowerCase() : null;
