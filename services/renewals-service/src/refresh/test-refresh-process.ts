/** A process of its own that runs refreshes and can be killed: told by an environment variable, answering over IPC. */
import { createOutbox } from '@ops/bus/outbox';
import { openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { refresh } from './refresh-service.ts';
import { createRefresher } from './refresher.ts';
import type { RefreshProcess } from './test-processes.ts';

const { databaseUrl, batch } = JSON.parse(process.env.REFRESH_PROCESS ?? '{}') as RefreshProcess;
const db = openDatabase(databaseUrl, { applicationName: 'refresh' });
process.on('disconnect', () => process.exit());

/** A day to be refreshed. */
process.on('message', async (today: string) => {
  const now = () => new Date(`${today}T02:00:00Z`);
  const logger = createLogger('refresh', 'silent');
  const outbox = createOutbox('renewals-service');
  const refresher = createRefresher({ db, outbox, logger, now, batch, today: () => today, committed: () => {} });
  await refresh(refresher, { started_by: null });
  process.send?.('done');
});
process.send?.('ready');
