import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { ended, endProcess, lastLines, readLines } from '@ops/machine/child-process';
import { leash, shellWord } from '@ops/machine/leash';
import { reservePort } from '@ops/machine/ports';
import type { Certificate } from './certificates.ts';
import { captureLog } from './logs.ts';
import type { RabbitInstallation } from './rabbitmq-packages.ts';

/** A broker of the test's own, which the test may kill. `stop` removes all of it, `start` brings it back with its data. */
export interface RabbitNode {
  url: string;
  /** What it is, for a person. */
  description: string;
  /** What a shell calls to administer it, and what that needs beside this process's own environment. */
  rabbitmqctl: { command: string; env: NodeJS.ProcessEnv };
  /** SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The least that a node knows of the others: where Erlang's nodes find each other, and what they prove by. */
export interface Company {
  mapperPort: number;
  cookie: string;
  /** Whom it joins when it starts for the first time; nobody: others may join it. */
  joins?: string;
}

export interface Mapper {
  port: number;
  stop(): Promise<void>;
}

interface NodeOptions {
  installation: RabbitInstallation;
  company: Company;
  certificate?: Certificate | undefined;
}

/** As Erlang's nodes call it. */
export type NamedNode = RabbitNode & { name: string; port: number };

/** RabbitMQ as processes of this machine: own port, node name, data, cookie, and an epmd of its own in the foreground. */
export async function startServer(installation: RabbitInstallation, certificate?: Certificate): Promise<RabbitNode> {
  const mapper = await startMapper(installation);
  const company = { mapperPort: mapper.port, cookie: newCookie() };
  const node = await startNode({ installation, company, certificate }).catch(async (error) => {
    await mapper.stop();
    throw error;
  });
  return { ...node, stop: () => node.stop().then(mapper.stop) };
}

export const newCookie = () => randomBytes(12).toString('hex');

/** A broker that finds no mapper starts one of its own, which then fights with ours for the port: so this one answers first. */
export async function startMapper({ epmd, env }: RabbitInstallation): Promise<Mapper> {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-epmd-'));
  const { port, release } = await reservePort();
  await release();
  const args = ['-port', String(port), '-address', '127.0.0.1'];
  const mapper = spawnLeashed(epmd, args, { PATH: process.env.PATH, HOME: home, ...env });
  await untilAnswers(() => listens(port), mapper, 'epmd');
  const stop = async () => {
    await mapper.kill();
    await rm(home, { recursive: true, force: true });
  };
  return { port, stop };
}

export async function startNode({ installation, company, certificate }: NodeOptions): Promise<NamedNode> {
  const home = await mkdtemp(join(tmpdir(), 'ops-test-rabbitmq-'));
  const name = `ops-${randomBytes(4).toString('hex')}@localhost`;
  const reserved = await Promise.all([reservePort(), reservePort()]);
  const [amqp, distribution] = reserved.map(({ port }) => port) as [number, number];
  const env = { ...(await environment({ home, name, amqp, distribution, company, certificate })), ...installation.env };
  await Promise.all(reserved.map((port) => port.release()));
  let broker = spawnLeashed(installation.server, [], env);
  const stop = async () => {
    await broker.kill();
    // Its helpers were killed with it and may be writing to the end.
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  };
  const answers = certificate ? shakesHands : greets;
  const accepting = () => untilAnswers(() => answers(amqp), broker, 'RabbitMQ');
  await accepting().catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    name,
    port: amqp,
    url: certificate ? `amqps://guest:guest@localhost:${amqp}` : `amqp://guest:guest@127.0.0.1:${amqp}`,
    description: `${installation.server} on port ${amqp}`,
    rabbitmqctl: { command: join(dirname(installation.server), 'rabbitmqctl'), env },
    kill: () => broker.kill(),
    start: async () => {
      broker = spawnLeashed(installation.server, [], env);
      await accepting();
    },
    stop,
  };
}

interface Told {
  home: string;
  name: string;
  amqp: number;
  distribution: number;
  company: Company;
  certificate?: Certificate | undefined;
}

async function environment({ home, name, amqp, distribution, company, certificate }: Told): Promise<NodeJS.ProcessEnv> {
  const at = (file: string) => join(home, file);
  await writeFile(at('rabbitmq.conf'), `${(await settingsOf({ at, amqp, company, certificate })).join('\n')}\n`);
  await writeFile(at('plugins'), '[].\n');
  await writeFile(at('env.conf'), '');
  await writeFile(at('.erlang.cookie'), company.cookie, { mode: 0o400 });
  return {
    PATH: process.env.PATH,
    HOME: home,
    LC_ALL: 'C.UTF-8',
    // The script then becomes the Erlang machine instead of watching over it: one process to kill.
    detached: '1',
    ERL_EPMD_PORT: String(company.mapperPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: name,
    ...(certificate ? {} : { RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1', RABBITMQ_NODE_PORT: String(amqp) }),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_CONFIG_FILE: at('rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: at('env.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: at('advanced.config'),
    RABBITMQ_ENABLED_PLUGINS_FILE: at('plugins'),
    RABBITMQ_MNESIA_BASE: at('data'),
    RABBITMQ_LOG_BASE: at('log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_PID_FILE: at('pid'),
    RABBITMQ_FEATURE_FLAGS_FILE: at('feature-flags'),
    RABBITMQ_PLUGINS_EXPAND_DIR: at('expanded'),
    RABBITMQ_GENERATED_CONFIG_DIR: at('generated'),
  };
}

async function settingsOf({
  at,
  amqp,
  company: { joins },
  certificate,
}: Pick<Told, 'amqp' | 'company' | 'certificate'> & { at(file: string): string }): Promise<string[]> {
  return [
    // Little disk and memory are no reason to block: these nodes live for minutes.
    'disk_free_limit.absolute = 1MB',
    'raft.wal_max_size_bytes = 64000000',
    'log.console = true',
    'cluster_partition_handling = pause_minority',
    ...(joins ? [`cluster_formation.classic_config.nodes.1 = ${joins}`] : []),
    ...(certificate ? await secureSettings(at, amqp, certificate) : []),
  ];
}

async function secureSettings(at: (name: string) => string, port: number, { cert, key, authority }: Certificate) {
  const files = { certfile: cert, keyfile: key, cacertfile: authority };
  for (const [name, pem] of Object.entries(files)) await writeFile(at(name), pem, { mode: 0o600 });
  const options = Object.keys(files).map((name) => `ssl_options.${name} = ${at(name)}`);
  return ['listeners.tcp = none', `listeners.ssl.1 = 127.0.0.1:${port}`, ...options];
}

interface Leashed {
  child: ChildProcess;
  /** Of what it said: why it ended, when it did. */
  lastLines: readonly string[];
  kill(): Promise<void>;
}

/** In a process group of its own, so that `kill` takes its helpers along. */
function spawnLeashed(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Leashed {
  const child = spawn(command, args, { env, cwd: env.HOME, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  child.on('error', () => undefined);
  const log = captureLog('rabbitmq');
  const last = lastLines(20);
  readLines(child, (line) => {
    last.add(line);
    log(line);
  });
  const release = leash(`kill -9 -${child.pid}; sleep 1; rm -rf ${shellWord(String(env.HOME))}`);
  const kill = async () => {
    release();
    if (child.pid !== undefined) killGroup(child.pid);
    await endProcess(child, 'SIGKILL', 0);
  };
  return { child, lastLines: last.lines, kill };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already, helpers and all.
  }
}

async function untilAnswers(
  answers: () => Promise<boolean>,
  { child, lastLines: last }: Leashed,
  name: string,
): Promise<void> {
  const deadline = Date.now() + 90_000;
  const gone = ended(child).then(() => 'gone' as const);
  while (Date.now() < deadline) {
    if (await answers()) return;
    const pause = new Promise((resolve) => setTimeout(resolve, 100));
    if ((await Promise.race([gone, pause])) === 'gone')
      throw new Error(`${name} ended while it started: ${last.join('\n')}`);
  }
  throw new Error(`${name} does not answer: ${last.join('\n')}`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Whose certificate it is matters to those who come, not here. */
function shakesHands(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectSecurely({ host: '127.0.0.1', port, rejectUnauthorized: false, timeout: 2000 });
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('secureConnect', () => answer(true)).once('error', () => answer(false));
    socket.once('timeout', () => answer(false));
  });
}

/** A broker answers the protocol header with its first frame; that it listens is not enough while it boots. */
export function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('AMQP\0\0\x09\x01'));
    const answer = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('data', (data) => answer(data[0] === 1));
    socket.once('error', () => answer(false)).once('close', () => answer(false));
    socket.setTimeout(2000, () => answer(false));
  });
}
