import { type ChildProcess, spawn } from 'node:child_process';
import { describeEnding, type Ending, ended, endProcess, type LogLine, lastLines, readLines } from './child-process.ts';

/** One process of the system as data: what it is called, what it runs, and everything it is told. */
export interface ProcessSpec {
  name: string;
  entry: string;
  env: NodeJS.ProcessEnv;
}

/** What a process says over its channel once it accepts traffic. */
export interface Ready {
  port?: number;
  metricsPort?: number;
}

export interface ManagedProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when it accepts traffic; rejects when it ends before that, or is not ready in time. */
  start(): Promise<Ready>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM, so that it drains; SIGKILL after the deadline. */
  stop(deadlineMs?: number): Promise<void>;
}

const readyWithinMs = 60_000;
/** Of what a process said before it ended: why. */
const mostLines = 3;

/** `crashed` hears of every end that nobody here asked for, before it was ready too. */
export function manageProcess(
  spec: ProcessSpec,
  log: LogLine,
  crashed: (spec: ProcessSpec, ending: Ending) => void,
): ManagedProcess {
  let child: ChildProcess | undefined;
  let asked = false;
  const end = async (signal: NodeJS.Signals, deadlineMs: number) => {
    asked = true;
    if (child) await endProcess(child, signal, deadlineMs);
  };
  return {
    name: spec.name,
    get pid() {
      return child?.pid;
    },
    start: () => {
      asked = false;
      const last = lastLines(mostLines);
      const started = launch(spec, (line, stream) => {
        last.add(line);
        log(line, stream);
      });
      child = started;
      void ended(started).then((ending) => asked || crashed(spec, ending));
      return untilReady(spec, started, last.lines);
    },
    kill: () => end('SIGKILL', 0),
    stop: (deadlineMs = 9000) => end('SIGTERM', deadlineMs),
  };
}

function launch({ entry, env }: ProcessSpec, log: LogLine): ChildProcess {
  // A group of its own: Ctrl-C in a terminal must reach the supervisor alone. When that dies, the channel closes.
  const child = spawn(process.execPath, [entry], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.on('error', (error) => log(String(error), 'stderr'));
  readLines(child, log);
  return child;
}

async function untilReady({ name }: ProcessSpec, child: ChildProcess, lines: readonly string[]): Promise<Ready> {
  const outcome = Promise.withResolvers<Ready>();
  const late = setTimeout(() => outcome.reject(new Error(`${name} was not ready in time`)), readyWithinMs);
  child.on('message', (message) => isReady(message) && outcome.resolve(message));
  void ended(child).then((ending) =>
    outcome.reject(new Error(`${name} ${describeEnding(ending)} while it started: ${lines.join(' ')}`)),
  );
  return outcome.promise.finally(() => clearTimeout(late));
}

const isReady = (message: unknown): message is Ready =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
