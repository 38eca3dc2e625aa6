/** A process of its own that works on imports and can be killed: told by an environment variable. */
import { consume, startConsumer } from '@ops/bus/consumer';
import { createOutbox } from '@ops/bus/outbox';
import { connectPostgres } from '@ops/bus/postgres/adapter';
import { createRelay } from '@ops/bus/relay';
import { continueImports, giveUpImport } from '@ops/imports/continue';
import { openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import type { Deps } from '../src/deps.ts';
import { renewalImport } from '../src/imports/import-service.ts';
import { topology } from '../src/topology.ts';
import { cardOf } from './customers.ts';
import { noAlerts } from './notifier.ts';

export interface ImportProcess {
  databaseUrl: string;
  batch?: number;
  /** As when people are being served. */
  busy?: boolean;
  /** The file that kills whoever looks it through, by its customers. */
  poison?: string;
}

/** It looks more often than a service does for what has come due and who died, so that tests do not wait for seconds. */
const often = { pollMs: 20, reapMs: 100, leaseMs: 300 };

const { databaseUrl, batch, busy = false, poison } = JSON.parse(process.env.IMPORT_PROCESS ?? '{}') as ImportProcess;
const db = openDatabase(databaseUrl, { applicationName: 'import' });
process.on('disconnect', () => process.exit());

const cards: Deps['customers']['cards'] = async (ids) => {
  if (poison !== undefined && ids.includes(poison)) process.kill(process.pid, 'SIGKILL');
  return ids.map(cardOf);
};
const agents = { known: async (ids: readonly string[]) => [...ids] };
const outbox = createOutbox('renewals-service');
const [today, dateAt] = [() => '2026-03-02', () => '2026-03-02'];
const deps: Deps = { outbox, now: () => new Date(), today, dateAt, customers: { cards }, agents };
const logger = createLogger('import', 'silent');
const bus = await connectPostgres({
  url: databaseUrl,
  namespace: '',
  service: 'import',
  logger,
  tapTypes: [],
  ...often,
});
const relay = createRelay({ db, bus, logger, ...often, batch: 500 });
const importing = {
  kind: renewalImport({ ...deps, alerts: noAlerts }),
  outbox,
  logger,
  now: deps.now,
  isBusy: () => busy,
  ...(batch && { batch }),
};
await startConsumer({
  db,
  bus,
  logger,
  ...consume(topology.queues.imports, (trx, events) => continueImports(importing, trx, events), {
    committed: relay.nudge,
    gaveUp: (trx, event) => giveUpImport(importing, trx, event),
  }),
});
relay.start();
