/** A process of its own that works on imports and can be killed: told by an environment variable, answering over IPC. */
import { createOutbox } from '@ops/bus/outbox';
import { openDatabase } from '@ops/service-kit/database';
import { runImports } from '@ops/service-kit/imports/import-jobs';
import { createLogger } from '@ops/service-kit/logger';
import type { Deps } from '../src/deps.ts';
import { renewalImport } from '../src/imports/import-service.ts';
import { cardOf } from './customers.ts';

export interface ImportProcess {
  databaseUrl: string;
  batch: number;
  /** Its clock is ahead by this much: whoever was killed before is past its time. */
  aheadMs: number;
}

const { databaseUrl, batch, aheadMs } = JSON.parse(process.env.IMPORT_PROCESS ?? '{}') as ImportProcess;
const db = openDatabase(databaseUrl, { applicationName: 'import' });
process.on('disconnect', () => process.exit());

const deps: Deps = {
  outbox: createOutbox('renewals-service'),
  now: () => new Date(Date.now() + aheadMs),
  today: () => '2026-03-02',
  customers: { cards: async (ids) => ids.map(cardOf) },
};
const logger = createLogger('import', 'silent');
await runImports(
  { db, logger, now: deps.now, committed: () => {}, batch },
  renewalImport(deps),
  new AbortController().signal,
);
process.send?.('done', () => process.exit());
