import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where RabbitMQ and Erlang lie on this machine. */
export interface RabbitInstallation {
  server: string;
  epmd: string;
  /** What the programs need to find each other. */
  env: Record<string, string>;
}

const tools = join(import.meta.dirname, '..', '..', '..', '.tools');
const run = (command: string, args: readonly string[]) =>
  promisify(execFile)(command, args, { maxBuffer: 64 << 20, env: { ...process.env, LC_ALL: 'C' } });

/** RabbitMQ as the machine's administrator installed it. */
export function installedRabbit(): RabbitInstallation | undefined {
  const server = '/usr/lib/rabbitmq/bin/rabbitmq-server';
  const epmd = ['/usr/bin/epmd', '/usr/local/bin/epmd'].find((path) => existsSync(path));
  return existsSync(server) && epmd ? { server, epmd, env: {} } : undefined;
}

/**
 * Debian's packages, unpacked under `.tools` and run from there: nothing is installed, no right is needed. Two runs
 * may do it at once: each unpacks in a directory of its own, and the first to finish gives it the final name.
 */
export async function fetchedRabbit(): Promise<RabbitInstallation | undefined> {
  const home = join(tools, 'rabbitmq');
  if (!existsSync(home)) {
    if (!existsSync('/usr/bin/apt-get') || !existsSync('/usr/bin/dpkg-deb')) return undefined;
    await mkdir(tools, { recursive: true });
    const fresh = await mkdtemp(`${home}-`);
    try {
      await unpackPackages(fresh);
      await rename(fresh, home).catch((error) => (existsSync(home) ? undefined : Promise.reject(error)));
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }
  return describe(home);
}

async function unpackPackages(home: string): Promise<void> {
  const apt = await privateApt(home);
  await apt('update', []);
  const packages = await packagesToFetch(apt);
  await apt('download', packages);
  const archives = join(home, 'archives');
  for (const file of await readdir(archives)) await run('dpkg-deb', ['-x', join(archives, file), home]);
  await Promise.all(['archives', 'apt'].map((name) => rm(join(home, name), { recursive: true })));
  await writeStarters(home);
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
  await writeFile(at('nothing-installed'), '');
  const options = [
    `Dir::State=${at('state')}`,
    `Dir::Cache=${at('cache')}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=root',
  ];
  if (process.getuid?.() !== 0) options.pop();
  const defaults = ['Dir::State::status=/var/lib/dpkg/status'];
  return async (command, args) => {
    const all = [...defaults, ...options].flatMap((option) => ['-o', option]);
    const child = promisify(execFile)('apt-get', [...all, '-qq', command, ...args], {
      cwd: join(home, 'archives'),
      maxBuffer: 64 << 20,
      env: { ...process.env, LC_ALL: 'C' },
    });
    return (await child).stdout;
  };
}

/** RabbitMQ, all of Erlang it needs even where parts are installed (they must lie together), and what libraries lack. */
async function packagesToFetch(apt: Apt): Promise<string[]> {
  const lookUp = async (names: readonly string[], status: string[]) =>
    namesIn(await apt('install', [...status, '--print-uris', '--yes', '--no-install-recommends', ...names]));
  const closure = await lookUp(['rabbitmq-server'], ['-o', 'Dir::State::status=/dev/null']);
  const wanted = closure.filter((name) => /^(erlang-|rabbitmq-server$)/.test(name));
  const erlang = wanted.filter((name) => name !== 'rabbitmq-server');
  return [...new Set([...wanted, ...(await lookUp(erlang, []))])];
}

/** Lines such as `'http://.../erlang-base_25.2.3_amd64.deb' erlang-base_1%3a25.2.3_amd64.deb 9441 SHA256:...`. */
const namesIn = (uris: string): string[] => [...uris.matchAll(/^'\S+' ([^_\s]+)_/gm)].map(([, name]) => name as string);

async function describe(home: string): Promise<RabbitInstallation> {
  const libraries = await libraryDirectories(home);
  return {
    server: join(home, 'usr', 'lib', 'rabbitmq', 'bin', 'rabbitmq-server'),
    epmd: join(home, 'bin', 'epmd'),
    env: { PATH: `${join(home, 'bin')}:${process.env.PATH}`, LD_LIBRARY_PATH: libraries.join(':') },
  };
}

/** Debian's `erl` has its place built in; these start the same programs from where they lie. */
async function writeStarters(home: string): Promise<void> {
  const erts = (await readdir(join(home, 'usr', 'lib', 'erlang'))).find((name) => name.startsWith('erts-'));
  if (!erts) throw new Error('the packages hold no Erlang');
  const places = `root=$(cd "$(dirname "$0")/../usr/lib/erlang" && pwd)\nexport ROOTDIR="$root" BINDIR="$root/${erts}/bin"`;
  const starter = (program: string) => `#!/bin/sh\n${places} EMU=beam PROGNAME=erl\nexec "$BINDIR/${program}" "$@"\n`;
  await mkdir(join(home, 'bin'));
  await writeFile(join(home, 'bin', 'erl'), starter('erlexec'), { mode: 0o755 });
  await writeFile(join(home, 'bin', 'epmd'), starter('epmd'), { mode: 0o755 });
}

async function libraryDirectories(home: string): Promise<string[]> {
  const parents = [join(home, 'usr', 'lib'), join(home, 'lib')];
  const found = await Promise.all(parents.map((path) => readdir(path, { withFileTypes: true }).catch(() => [])));
  const machine = found.flat().filter((entry) => entry.isDirectory() && entry.name.includes('-linux-'));
  return [...parents, ...machine.map((entry) => join(entry.parentPath, entry.name))];
}
