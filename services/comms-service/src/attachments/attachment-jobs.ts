import { every, type Job } from '@ops/service-kit/every';
import type { ServiceParts } from '@ops/service-kit/service';
import { type FetchDeps, fetchDue, removeUnusedUploads } from './fetch-service.ts';

const lookEveryMs = 500;
const tidyEveryMs = 60 * 60_000;

export function startFetching({ http, logger }: ServiceParts, deps: FetchDeps): Job {
  const stopping = new AbortController();
  const fetching = every(
    lookEveryMs,
    async () => {
      const { stored, postponed, failed } = await fetchDue(deps, stopping.signal);
      if (postponed + failed > 0) logger.warn({ stored, postponed, failed }, 'files of messages could not be fetched');
      if (stored + postponed + failed > 0) http.committed();
    },
    logger,
  );
  const tidying = every(tidyEveryMs, () => removeUnusedUploads(deps), logger);
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([fetching.stop(), tidying.stop()]);
    },
  };
}
