import { flushCompileCache } from 'node:module';
import { createLogger, type Logger } from '../observing/logger.ts';
import { ConfigError } from './config.ts';

/** A process that accepts traffic. */
export interface Running {
  port: number;
  metricsPort?: number;
  /** Says that it goes, and goes on as before for as long as others may need to hear of it. */
  leave?(): Promise<void>;
  /** Ends all of it in order; what is in work is finished first. */
  stop(): Promise<void>;
}

/** As sysexits.h has it: the configuration is wrong, so starting again changes nothing. */
const configurationExit = 78;
/** After the leave. */
export const stopDeadlineMs = 9_000;

/**
 * The life of a process: start, tell a parent, serve until SIGTERM, SIGINT or the parent is gone, take leave, stop in order.
 * A second signal or the deadline ends it at once; so does an error nobody handled, since what state it left is unknown.
 */
export async function runService(name: string, start: () => Promise<Running>): Promise<void> {
  const logger = createLogger(name, process.env.LOG_LEVEL || 'info');
  endOnUnhandled(logger);
  const stopRequested = untilAskedToStop(logger);
  const running = await Promise.race([Promise.resolve().then(start), stopRequested.then(() => undefined)]).catch(
    (error) => giveUp(error, 'could not start', logger),
  );
  // Nothing was accepted yet; an unfinished migration rolls back by itself.
  if (!running) process.exit(0);
  logger.info({ port: running.port, metrics_port: running.metricsPort }, 'ready');
  process.send?.({ type: 'ready', port: running.port, metricsPort: running.metricsPort });
  tidyUpAfterStart();
  await stopRequested;
  await running.leave?.();
  await stopInTime(running, logger);
}

const startIsOverMs = 5_000;

/**
 * Where NODE_COMPILE_CACHE is given, what Node made of the sources is kept for the next start, also of a process that will
 * be killed. With `--expose-gc` the memory that only starting needed goes back at once; by itself it would stay.
 */
function tidyUpAfterStart(): void {
  flushCompileCache();
  setTimeout(() => globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }), startIsOverMs).unref();
}

/** The life of a process that does one thing and ends: with 0 once it is done, and never with 0 otherwise. */
export async function runCommand(name: string, work: (logger: Logger) => Promise<void>): Promise<void> {
  const logger = createLogger(name, process.env.LOG_LEVEL || 'info');
  endOnUnhandled(logger);
  // The first process of a container gets no signal that it does not listen to.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  await Promise.resolve(logger)
    .then(work)
    .catch((error) => giveUp(error, 'not done', logger));
}

function untilAskedToStop(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const ask = (reason: string) => {
      if (asked) process.exit(1);
      asked = true;
      logger.info({ reason }, 'stopping');
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ask(signal));
    process.once('disconnect', () => asked || ask('parent gone'));
  });
}

async function stopInTime(running: Running, logger: Logger): Promise<void> {
  setTimeout(() => {
    logger.error('could not stop in time');
    process.exit(1);
  }, stopDeadlineMs).unref();
  try {
    await running.stop();
    logger.info('stopped');
    process.exit(0);
  } catch (error) {
    logger.error({ err: error }, 'stopped with an error');
    process.exit(1);
  }
}

/** A wrong setting is one readable message, not a stack. */
function giveUp(error: unknown, what: string, logger: Logger): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(configurationExit);
  }
  logger.fatal({ err: error }, what);
  process.exit(1);
}

function endOnUnhandled(logger: Logger): void {
  for (const event of ['unhandledRejection', 'uncaughtException'] as const)
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, event);
      process.exit(1);
    });
}
