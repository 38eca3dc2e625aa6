import type { Failure } from '@ops/contracts/resources/communication';

/** A provider's own words, if it said any. */
export const detailed = (said: string | undefined): Pick<Failure, 'detail'> => (said?.trim() ? { detail: said } : {});
