import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeEnding, ended, endLeftover, endProcess, hasEnded, type LogLine, readLines } from './child-process.ts';
import { leash } from './leash.ts';
import { type ReservedPort, reservePort } from './ports.ts';
import { type Account, canReach, giveTo, postgresAccount } from './postgres-account.ts';
import { findBinaries, type PostgresBinaries } from './postgres-binaries.ts';

export interface PostgresOptions {
  /** Holds the data directory; made when absent. */
  home: string;
  /** Of the superuser `postgres`; set when the data directory is made. */
  password: string;
  log: LogLine;
  /** Further settings, such as `fsync=off`. */
  settings?: readonly string[];
}

/** A real Postgres of our own on 127.0.0.1, reachable by its password only. */
export interface PostgresNode {
  url: string;
  /** Resolves with the reason when it ends without having been asked to. */
  crashed: Promise<string>;
  /** SIGKILL, as a crash of the machine would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Everything that decides how a process of Postgres is run. */
interface Installation extends PostgresOptions {
  account: Account | undefined;
  binaries: PostgresBinaries;
  /** What `-D` gets: the path, or the directory handed over as descriptor 3 where the account cannot walk to it. */
  base: string;
  port: number;
}

export async function startPostgres(options: PostgresOptions): Promise<PostgresNode> {
  const reserved = await reservePort();
  const installation = await prepare(options, reserved.port);
  await endOrphan(installation);
  if (!existsSync(join(options.home, 'data', 'PG_VERSION'))) await initialise(installation);
  return run(installation, reserved);
}

async function prepare(options: PostgresOptions, port: number): Promise<Installation> {
  const home = resolve(options.home);
  const account = await postgresAccount();
  await mkdir(join(home, 'data'), { recursive: true, mode: 0o700 });
  if (account) await Promise.all([giveTo(account, join(home, 'data')), chmod(home, 0o711)]);
  const binaries = await findBinaries(account);
  const walkable = account === undefined || (await canReach(account, home));
  return { ...options, home, account, binaries, base: walkable ? home : '/proc/self/fd/3', port };
}

/** A supervisor that was killed leaves its Postgres running: it is ours, and two on one directory must not be. */
async function endOrphan({ home, log }: Installation): Promise<void> {
  const pidFile = await readFile(join(home, 'data', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(pidFile, 10);
  if (pid > 1 && (await endLeftover(pid, 'postgres -D', 'SIGINT', 5000)))
    log('ended what an earlier start left running', 'stderr');
}

async function initialise(installation: Installation): Promise<void> {
  const { home, account, base, binaries, password } = installation;
  const passwordFile = join(home, 'password');
  await rm(join(home, 'data'), { recursive: true, force: true });
  await mkdir(join(home, 'data'), { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await Promise.all([giveTo(account, join(home, 'data')), giveTo(account, passwordFile)]);
  const child = launch(installation, binaries.initdb, [
    '-D',
    `${base}/data`,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${base}/password`,
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-sync',
  ]);
  const lines: string[] = [];
  readLines(child, (line) => lines.push(line));
  const ending = await ended(child);
  await rm(passwordFile, { force: true });
  if (ending.code !== 0) throw new Error(`initdb ${describeEnding(ending)}\n${lines.join('\n')}`);
}

/** `terse`: no DETAIL lines, which would carry the contents of rows into the log. */
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'log_error_verbosity=terse',
  'max_connections=300',
];

/** Answers at once: what a process says that nobody listens to yet is lost with its end. */
function launch(installation: Installation, command: string, args: readonly string[]): ChildProcess {
  const { home, account } = installation;
  const directory = openSync(home, 'r');
  try {
    return spawn(command, args, {
      cwd: '/',
      // A group of its own: Ctrl-C in a terminal must reach the supervisor alone, which stops Postgres last.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', directory],
      env: { PATH: process.env.PATH, TZ: 'UTC' },
      ...account,
    });
  } finally {
    closeSync(directory);
  }
}

async function run(installation: Installation, reserved: ReservedPort): Promise<PostgresNode> {
  const { password, port } = installation;
  const crashed = Promise.withResolvers<string>();
  let child: ChildProcess | undefined;
  let wanted = false;
  let release: (() => void) | undefined;
  const start = async () => {
    wanted = true;
    child = await startOnce(installation);
    const started = child;
    release = leash(`kill -INT ${child.pid}`);
    void ended(started).then((ending) => wanted && started === child && crashed.resolve(describeEnding(ending)));
  };
  const end = async (signal: NodeJS.Signals, deadlineMs: number) => {
    wanted = false;
    if (child) await endProcess(child, signal, deadlineMs);
    release?.();
  };
  await reserved.release();
  await start();
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    crashed: crashed.promise,
    kill: () => end('SIGKILL', 0),
    stop: () => end('SIGINT', 2500),
    start,
  };
}

/** Right after a crash the orphaned backends still hold the shared memory for a moment: then once more. */
async function startOnce(installation: Installation): Promise<ChildProcess> {
  for (let triesLeft = 40; ; triesLeft -= 1) {
    const outcome = await startServer(installation);
    if (!('failure' in outcome)) return outcome.child;
    if (triesLeft === 0 || !outcome.failure.includes('shared memory block')) throw new Error(outcome.failure);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A standby takes only who reads. */
const isReady = (line: string) => /ready to accept (read-only )?connections/.test(line);

async function startServer(installation: Installation): Promise<{ child: ChildProcess } | { failure: string }> {
  const { base, binaries, port, log } = installation;
  const flags = [...settings, ...(installation.settings ?? []), `port=${port}`].flatMap((setting) => ['-c', setting]);
  const child = launch(installation, binaries.postgres, ['-D', `${base}/data`, ...flags]);
  const lines: string[] = [];
  const ready = new Promise<void>((resolve) => {
    readLines(child, (line, stream) => {
      log(line, stream);
      if (lines.length < 50) lines.push(line);
      if (isReady(line)) resolve();
    });
  });
  const ending = await Promise.race([ready, ended(child)]);
  if (!ending && !hasEnded(child)) return { child };
  return {
    failure: `Postgres did not start: it ${describeEnding(ending ?? (await ended(child)))}\n${lines.join('\n')}`,
  };
}
