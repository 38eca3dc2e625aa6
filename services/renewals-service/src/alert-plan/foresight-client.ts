import { internalRoutes } from '@ops/contracts/internal-routes';
import { InternalCallError, type InternalClient } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';
import type { Alerts } from './foresight-service.ts';

/** Whoever asks goes on without the answer: a question that notifier refuses would show nowhere else. */
export const alertsOver = (client: InternalClient, logger: Pick<Logger, 'warn'>): Alerts => ({
  foresee: async (awaited) => {
    const asked = client.ask('notifier', internalRoutes.foreseeAlerts, { body: { data: [...awaited] } });
    const { data } = await asked.catch((err: unknown) => {
      if (err instanceof InternalCallError && !err.away)
        logger.warn({ err }, 'notifier did not take what it was asked');
      throw err;
    });
    return data;
  },
});
