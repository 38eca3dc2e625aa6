import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import type { CsvImport } from '@ops/contracts/resources/import';
import { resume } from '@ops/imports/import-jobs';
import { beginImport, getImport, importRowsFile } from '@ops/imports/import-service';
import { inTransaction } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { eventually } from '@ops/test-kit/eventually';
import { renewalImport } from '../src/imports/import-service.ts';
import type { ImportProcess } from './import-process.ts';
import { noAlerts } from './notifier.ts';
import { staff } from './service.ts';
import type { World } from './world.ts';

/** Files sent to this world, and processes of their own that work on them. */
export function importersOf(world: World) {
  const { outbox, now } = world.deps;
  const importing = {
    kind: renewalImport({ ...world.deps, alerts: noAlerts }),
    outbox,
    now,
    isBusy: () => false,
    logger: createLogger('test', 'silent'),
  };
  const atWork = new Set<ChildProcess>();
  return {
    start(settings: Omit<ImportProcess, 'databaseUrl'>) {
      const given: ImportProcess = { databaseUrl: world.databaseUrl, ...settings };
      const child = fork(fileURLToPath(new URL('./import-process.ts', import.meta.url)), {
        env: { ...process.env, NODE_OPTIONS: '', IMPORT_PROCESS: JSON.stringify(given) },
        // A file read as a whole would not fit.
        execArgv: ['--max-old-space-size=64'],
      });
      const dead = once(child, 'exit');
      atWork.add(child);
      child.once('exit', () => atWork.delete(child));
      return {
        dead,
        async kill() {
          child.kill('SIGKILL');
          await dead;
        },
      };
    },
    /** Those that a failed test leaves behind would do the next one's work. */
    stopAll(): void {
      for (const child of atWork) child.kill('SIGKILL');
    },
    /** Sent and to be taken in at once; nobody works on it yet. */
    async send(bytes: Buffer): Promise<string> {
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += 256 * 1024) yield bytes.subarray(at, at + 256 * 1024);
      }
      const begin = { query: { name: 'many.csv', dry_run: false }, file: { chunks }, actor: staff };
      return (await inTransaction(world.db, (trx) => beginImport(importing, trx, begin))).id;
    },
    file: (id: string) =>
      importRowsFile(importing, world.db, id, { actor: staff, requestId: 'none', action: 'download' }),
    /** What a service does each minute. */
    resume: () => resume(importing, world.db),
    ended: (id: string, timeoutMs = 120_000): Promise<CsvImport> =>
      eventually(
        async () => {
          const now = await getImport(world.db, id);
          expect(['COMPLETED', 'FAILED']).toContain(now.status);
          return now;
        },
        { timeoutMs },
      ),
  };
}

export const fileOf = (count: number, notes = '', customer = (n: number) => `C-${n % 97}`) => {
  const rows = Array.from({ length: count }, (_, n) => `${customer(n)},RESIDENCE_PERMIT,2027-03-01,X-${n},${notes}`);
  return Buffer.from(`customer_id,service_type,due_date,external_id,notes\n${rows.join('\n')}\n`);
};
