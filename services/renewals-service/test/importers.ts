import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inTransaction } from '@ops/service-kit/database';
import { beginImport } from '@ops/service-kit/imports/import-service';
import { renewalImport } from '../src/imports/import-service.ts';
import type { ImportProcess } from './import-process.ts';
import { staff } from './service.ts';
import type { World } from './world.ts';

/** Files sent to this world, and processes of their own that work on them. */
export const importersOf = (world: World) => ({
  start(settings: Omit<ImportProcess, 'databaseUrl'>) {
    const given: ImportProcess = { databaseUrl: world.databaseUrl, ...settings };
    const child = fork(fileURLToPath(new URL('./import-process.ts', import.meta.url)), {
      env: { ...process.env, NODE_OPTIONS: '', IMPORT_PROCESS: JSON.stringify(given) },
      // A file read as a whole would not fit.
      execArgv: ['--max-old-space-size=64'],
    });
    const dead = once(child, 'exit');
    const done = once(child, 'message');
    return {
      done: Promise.race([done, dead.then(([code]) => Promise.reject(new Error(`it ended with ${code}`)))]),
      async kill() {
        child.kill('SIGKILL');
        await dead;
      },
    };
  },
  /** Sent and to be taken in at once; nobody works on it yet. */
  async send(file: Buffer): Promise<string> {
    async function* chunks() {
      for (let at = 0; at < file.length; at += 256 * 1024) yield file.subarray(at, at + 256 * 1024);
    }
    const spooled = { size: file.length, sha256: '', chunks, close: async () => {} };
    const query = { name: 'many.csv', dry_run: false };
    const begin = { kind: renewalImport(world.deps), query, file: spooled, actor: staff, now: new Date() };
    return (await inTransaction(world.db, (trx) => beginImport(trx, begin))).id;
  },
});

export const fileOf = (count: number, notes = '') => {
  const rows = Array.from({ length: count }, (_, n) => `C-${n % 97},RESIDENCE_PERMIT,2027-03-01,X-${n},${notes}`);
  return Buffer.from(`customer_id,service_type,due_date,external_id,notes\n${rows.join('\n')}\n`);
};
