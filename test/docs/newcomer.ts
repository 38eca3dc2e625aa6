import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { namesIn } from '@ops/bus/rabbitmq/names';
import { eventually } from '@ops/test-kit/eventually';
import { captureLog } from '@ops/test-kit/logs';
import { type MarkdownDocument, root } from './document.ts';

export interface Said {
  code: number | null;
  out: string;
  err: string;
}

/** A command that goes on until it is stopped. */
interface Running {
  out(): string;
}

type Folder = 'checkout' | 'elsewhere';

/** Somebody who cloned the project and types what the documents say, there and in a folder elsewhere. */
export interface Newcomer {
  /** Looks like the checkout; what is written there does not come into it. */
  checkout: string;
  elsewhere: string;
  url: string;
  type(command: string, folder?: Folder): Promise<Said>;
  leaveRunning(command: string, folder?: Folder): Running;
  /** What a command that was left running has said by now. */
  running(command: string): string;
  /** Ctrl-C where the system was started; gives what was printed there once nothing of it runs any more. */
  stopSystem(): Promise<string>;
  leave(): Promise<void>;
}

export interface Broker {
  url: string;
  namespace: string;
}

/** What the newcomer has agreed with providers. */
const agreed = {
  MESSAGING_APP_VERIFY_TOKEN: 'agreed-verify-token',
  EMAIL_MIME_BASIC_AUTH: 'mime:password-they-agreed-on',
};
const secretFile = (checkout: string, setting: string) => join(checkout, 'secrets', setting.toLowerCase());

const unwanted = ['.git', '.ops', '.env', 'secrets'];
/** As in the documents. */
const [door, brokerAddress] = ['localhost:8080', 'amqp://guest:guest@localhost:5672'];

/** Has typed `npm start`, and it is ready; has written down the files that the documents show. */
export async function newcomer(broker: Broker, documents: readonly MarkdownDocument[]): Promise<Newcomer> {
  const home = await mkdtemp(join(tmpdir(), 'ops-newcomer-'));
  const [checkout, elsewhere, bin] = await Promise.all(
    ['checkout', 'elsewhere', 'bin'].map((name) => mkdtemp(join(home, `${name}-`))),
  );
  if (!checkout || !elsewhere || !bin) throw new Error('no folders');
  for (const name of await readdir(root))
    if (!unwanted.includes(name)) await symlink(join(root, name), join(checkout, name));
  for (const [name, text] of documents.flatMap(filesOf)) await writeFile(join(elsewhere, name), text);
  await mkdir(join(checkout, 'secrets'));
  for (const [name, value] of Object.entries(agreed)) await writeFile(secretFile(checkout, name), `${value}\n`);
  await writeFile(join(bin, 'curl'), `#!/bin/sh\nexec ${curl()} "$@"\n`, { mode: 0o755 });

  const memory = join(home, 'variables');
  await writeFile(memory, '');
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NODE_OPTIONS: '',
    OPS_DATA_DIR: join(home, 'data'),
    PORT: '0',
    DATABASE_URL: '',
    AMQP_URL: broker.url,
    BUS_NAMESPACE: broker.namespace,
    NO_COLOR: '1',
    EXCHANGE: namesIn(broker.namespace, 'gateway').events,
    QUEUE: `${broker.namespace}.accounting.renewals`,
    ...agreed,
    npm_config_update_notifier: 'false',
  };
  const folders = { checkout, elsewhere };
  const left = new Map<string, ReturnType<typeof listen>>();
  const open = (command: string, cwd: string) => spawn('sh', ['-c', command], { cwd, env, detached: true });

  const system = listen(open('npm start', checkout));
  const leave = async () => {
    await Promise.all([...left.values(), system].map((running) => running.interrupt()));
    captureLog('npm-start')(system.out() + system.err());
    await rm(home, { recursive: true, force: true });
  };
  const url = await ready(system).catch(async (error) => {
    await leave();
    throw error;
  });
  const here = (command: string) => command.replaceAll(door, new URL(url).host).replaceAll(brokerAddress, broker.url);
  /** What a command sets, the next one finds. */
  const remembering = (command: string) =>
    `. ${memory}; set -a\n${here(command)}\nended=$?; export -p > ${memory}; exit $ended`;

  return {
    checkout,
    elsewhere,
    url,
    async type(command, folder = 'checkout') {
      const typed = listen(open(remembering(command), folders[folder]));
      const code = await typed.ended;
      return { code, out: typed.out(), err: typed.err() };
    },
    leaveRunning(command, folder = 'checkout') {
      const running = listen(open(`. ${memory}\n${here(command)}`, folders[folder]));
      left.set(command, running);
      return running;
    },
    running: (command) => left.get(command)?.out() ?? '',
    stopSystem: async () => {
      await system.interrupt();
      return system.out();
    },
    leave,
  };
}

/** A file of a document begins with its name. */
const filesOf = ({ path, fences }: MarkdownDocument): [string, string][] =>
  fences
    .filter(({ language }) => language === 'js')
    .map(({ text, line }) => {
      const name = /^\/\/ ([\w.-]+)\n/.exec(text)?.[1];
      if (name === undefined) throw new Error(`${path}, line ${line}: a file without its name`);
      return [name, text];
    });

/** The machine's own, told to fail where the answer is a refusal; else what stands in for it. */
function curl(): string {
  try {
    return `${execFileSync('sh', ['-c', 'command -v curl']).toString().trim()} --fail-with-body`;
  } catch {
    return `${process.execPath} ${join(root, 'test/docs/curl.ts')}`;
  }
}

function listen(child: ChildProcess) {
  const texts = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => (texts.out += chunk));
  child.stderr?.on('data', (chunk) => (texts.err += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    ended,
    out: () => texts.out,
    err: () => texts.err,
    isOver,
    /** As a terminal does: to all that the command has started. */
    async interrupt() {
      if (child.pid !== undefined && !isOver()) process.kill(-child.pid, 'SIGINT');
      return ended;
    },
  };
}

const ready = ({ out, err, isOver }: ReturnType<typeof listen>): Promise<string> =>
  eventually(() => {
    const line = /^ready (http:\/\/localhost:\d+)$/m.exec(out());
    if (line?.[1]) return line[1];
    throw new Error(`${isOver() ? 'ended' : 'not ready yet'}:\n${out()}${err()}`);
  });
