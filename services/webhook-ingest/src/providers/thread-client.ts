import { createThreads } from '@ops/service-kit/threads';

/** How much may be read at once is decided before, by the budget of what is not proven. */
export const inThread = createThreads({ atOnce: 2, milliseconds: 20_000, megabytes: 512 });
