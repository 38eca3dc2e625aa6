import type { Figure } from '@ops/service-kit/figures';

/** What came and could not be read. */
export const figures: readonly Figure[] = [
  {
    kind: 'gauge',
    name: 'webhook_deliveries_not_understood',
    help: 'Signed deliveries that are kept and could not be read in whole',
    sql: `SELECT count(*) AS value FROM deliveries WHERE outcome IN ('not_understood', 'partly')`,
  },
];
