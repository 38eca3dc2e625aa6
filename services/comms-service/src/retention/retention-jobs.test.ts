import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { RetentionRun } from '@ops/contracts/resources/retention';
import { inTransaction } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { eventually } from '@ops/test-kit/eventually';
import { admin, startTestService, type TestService } from '../../test/service.ts';
import { type RetentionDeps, runNightly } from './retention-service.ts';

let service: TestService;
const start = async (cron: string) => {
  service = await startTestService({ RETENTION_CRON: cron });
};
afterEach(() => service.close());

let asked: number;
let hold: Promise<void>;
beforeEach(() => {
  asked = 0;
  hold = Promise.resolve();
});

const deps: RetentionDeps = {
  now: () => new Date(),
  logger: createLogger('test', 'silent'),
  holders: [
    {
      service: 'comms-service',
      apply: async () => {
        asked += 1;
        await hold;
        return { places: [], complete: true };
      },
    },
  ],
};
const night = (slot: string) => inTransaction(service.db, (trx) => runNightly(deps, trx, new Date(slot)));
const runs = async () => (await service.get<Page<RetentionRun>>(admin, '/ops/retention/runs')).body.data;

test('of several replicas one runs at a time of day, and the next night again', async () => {
  await start('off');
  const first = '2026-03-01T03:30:00Z';
  const replicas = await Promise.all([night(first), night(first), night(first)]);
  expect(replicas.filter((run) => run !== undefined)).toHaveLength(1);
  expect(await night(first)).toBeUndefined();
  expect(await night('2026-03-02T03:30:00Z')).toMatchObject({ status: 'completed', started_by: null, dry_run: false });
  expect([asked, (await runs()).length]).toEqual([2, 2]);
});

test('a run that somebody started is not joined by the nightly one', async () => {
  await start('off');
  const held = Promise.withResolvers<void>();
  hold = held.promise;
  const slow = night('2026-03-01T03:30:00Z');
  await eventually(() => expect(asked).toBe(1));
  expect(await night('2026-03-02T03:30:00Z')).toBeUndefined();
  held.resolve();
  expect(await slow).toMatchObject({ status: 'completed' });
});

test('a process that dies in the middle leaves no run and holds nobody off', async () => {
  await start('off');
  const dying = inTransaction(service.db, async (trx) => {
    await runNightly(deps, trx, new Date('2026-03-01T03:30:00Z'));
    await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
  });
  await expect(dying).rejects.toThrow();
  expect(await runs()).toEqual([]);
  expect(await night('2026-03-01T03:30:00Z')).toMatchObject({ status: 'completed' });
});

test('at its time a service runs by itself, and says which other services were away', async () => {
  await start('* * * * * *');
  await eventually(async () => {
    const [latest] = await runs();
    expect(latest).toMatchObject({ started_by: null, status: 'failed' });
    expect(latest?.failure).toBe(
      'renewals-service could not be asked; webhook-ingest could not be asked; notifier could not be asked',
    );
  });
});
