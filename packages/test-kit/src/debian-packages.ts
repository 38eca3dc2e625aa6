import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const tools = join(import.meta.dirname, '..', '..', '..', '.tools');
const run = promisify(execFile);
const quiet = { maxBuffer: 64 << 20, env: { ...process.env, LC_ALL: 'C' } };

/** Names of packages that these need; with `--status /dev/null` also those that are installed. */
export type LookUp = (names: readonly string[], options?: readonly string[]) => Promise<string[]>;

export interface Unpacking {
  /** Its place below `.tools`. */
  name: string;
  /** Which packages to unpack. */
  choose(lookUp: LookUp): Promise<string[]>;
  /** What is to be done where they lie before they can be used. */
  finish?(home: string): Promise<void>;
}

/**
 * Debian's packages, unpacked under `.tools` and run from there: nothing is installed, no right is needed. Two runs
 * may do it at once: each unpacks in a directory of its own, and the first to finish gives it the final name.
 * Undefined: this is no Debian.
 */
export async function unpackedPackages(unpacking: Unpacking): Promise<string | undefined> {
  const home = join(tools, unpacking.name);
  if (existsSync(home)) return home;
  if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) return undefined;
  await mkdir(tools, { recursive: true });
  const fresh = await mkdtemp(`${home}-`);
  try {
    await unpackInto(fresh, unpacking);
    await rename(fresh, home).catch((error) => (existsSync(home) ? undefined : Promise.reject(error)));
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return home;
}

export const isUnpacked = (name: string): boolean => existsSync(join(tools, name));

/** Where the libraries of what was unpacked lie, for the linker; some have their own in a folder of their own. */
export async function libraryDirectories(home: string): Promise<string[]> {
  const parents = [join(home, 'usr', 'lib'), join(home, 'lib')];
  const machine = (await foldersIn(parents)).filter((folder) => /-linux-[^/]*$/.test(folder));
  return [...parents, ...machine, ...(await foldersIn(machine))];
}

async function foldersIn(parents: readonly string[]): Promise<string[]> {
  const found = await Promise.all(parents.map((path) => readdir(path, { withFileTypes: true }).catch(() => [])));
  return found.flat().flatMap((entry) => (entry.isDirectory() ? [join(entry.parentPath, entry.name)] : []));
}

async function unpackInto(home: string, { choose, finish }: Unpacking): Promise<void> {
  const apt = await privateApt(home);
  await apt('update', []);
  const packages = await choose(async (names, options = []) =>
    namesIn(await apt('install', [...options, '--print-uris', '--yes', '--no-install-recommends', ...names])),
  );
  await apt('download', packages);
  const archives = join(home, 'archives');
  for (const file of await readdir(archives)) await run('dpkg-deb', ['-x', join(archives, file), home], quiet);
  await Promise.all(['archives', 'apt'].map((name) => rm(join(home, name), { recursive: true })));
  await finish?.(home);
}

type Apt = (command: string, args: readonly string[]) => Promise<string>;

/** apt-get with all it writes below `home`, so that it asks neither for root nor for the system's locks. */
async function privateApt(home: string): Promise<Apt> {
  const at = (...path: string[]) => join(home, 'apt', ...path);
  await Promise.all([
    mkdir(at('state', 'lists', 'partial'), { recursive: true }),
    mkdir(at('cache', 'archives', 'partial'), { recursive: true }),
    mkdir(join(home, 'archives'), { recursive: true }),
  ]);
  const options = [
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::State=${at('state')}`,
    `Dir::Cache=${at('cache')}`,
    'Debug::NoLocking=1',
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((option) => ['-o', option]);
  return async (command, args) => {
    const child = run('apt-get', [...options, '-qq', command, ...args], { ...quiet, cwd: join(home, 'archives') });
    return (await child).stdout;
  };
}

/** Lines such as `'http://.../erlang-base_25.2.3_amd64.deb' erlang-base_1%3a25.2.3_amd64.deb 9441 SHA256:...`. */
const namesIn = (uris: string): string[] => [...uris.matchAll(/^'\S+' ([^_\s]+)_/gm)].map(([, name]) => name as string);
