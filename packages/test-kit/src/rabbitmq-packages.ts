import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LookUp, libraryDirectories, unpackedPackages } from './debian-packages.ts';

/** Where RabbitMQ and Erlang lie on this machine. */
export interface RabbitInstallation {
  server: string;
  epmd: string;
  /** What the programs need to find each other. */
  env: Record<string, string>;
}

/** RabbitMQ as the machine's administrator installed it. */
export function installedRabbit(): RabbitInstallation | undefined {
  const server = '/usr/lib/rabbitmq/bin/rabbitmq-server';
  const epmd = ['/usr/bin/epmd', '/usr/local/bin/epmd'].find((path) => existsSync(path));
  return existsSync(server) && epmd ? { server, epmd, env: {} } : undefined;
}

/** Debian's, run from where it was unpacked. */
export async function fetchedRabbit(): Promise<RabbitInstallation | undefined> {
  const home = await unpackedPackages({ name: 'rabbitmq', choose: packagesToFetch, finish: writeStarters });
  return home === undefined ? undefined : describe(home);
}

/** RabbitMQ, all of Erlang it needs even where parts are installed (they must lie together), and what libraries lack. */
async function packagesToFetch(lookUp: LookUp): Promise<string[]> {
  const closure = await lookUp(['rabbitmq-server'], ['-o', 'Dir::State::status=/dev/null']);
  const wanted = closure.filter((name) => /^(erlang-|rabbitmq-server$)/.test(name));
  const erlang = wanted.filter((name) => name !== 'rabbitmq-server');
  return [...new Set([...wanted, ...(await lookUp(erlang))])];
}

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
