/** A process of its own that runs refreshes and can be killed: told by an environment variable, answering over IPC. */
import { createOutbox } from '@ops/bus/outbox';
import { openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { beforeEachStatement } from '@ops/service-kit/test/statements';
import { refresh } from '../src/refresh/refresh-service.ts';
import { createRefresher } from '../src/refresh/refresh-worker.ts';
import { tickingClock } from './clock.ts';
import type { Answer, Order, RefreshProcess } from './processes.ts';

const { databaseUrl, batch } = JSON.parse(process.env.REFRESH_PROCESS ?? '{}') as RefreshProcess;
const db = openDatabase(databaseUrl, { applicationName: 'refresh' });
process.on('disconnect', () => process.exit());
const tell = (answer: Answer) => process.send?.(answer);

let left = Number.POSITIVE_INFINITY;
let goOn = () => {};
beforeEachStatement(db, async () => {
  if (left-- > 0) return;
  await new Promise<void>((resolve) => {
    goOn = resolve;
    tell({});
  });
});

async function night(today: string): Promise<void> {
  // An hour before the clock of those who go on with what it leaves.
  const now = tickingClock(`${today}T01:00:00Z`);
  const logger = createLogger('refresh', 'silent');
  const outbox = createOutbox('renewals-service');
  const refresher = createRefresher({ db, outbox, logger, now, batch, today: () => today, committed: () => {} });
  tell({ run: await refresh(refresher, { started_by: null }) });
}

process.on('message', (order: Order) => {
  left = order === 'go on' ? Number.POSITIVE_INFINITY : (order.stopBefore ?? Number.POSITIVE_INFINITY);
  if (order === 'go on') goOn();
  else void night(order.today);
});
await db.raw('SELECT 1');
tell({});
