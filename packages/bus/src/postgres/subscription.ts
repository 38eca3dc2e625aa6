import { EventEmitter } from 'node:events';
import { type JobHelpers, Logger, runTaskList, type WorkerPool } from 'graphile-worker';
import type { Pool } from 'pg';
import { reasonOf } from '../errors.ts';
import {
  comebackOf,
  fromTheBack,
  type HandOverOptions,
  handOver,
  returnedTooOften,
  suspectAfter,
} from '../hand-over.ts';
import { keepOpen } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import { atMost, untilDone } from '../pause.ts';
import type { Deliver, IncomingMessage, Outcome, QueueSpec, Subscription } from '../port.ts';
import type { Liveness } from './liveness.ts';
import { taskOf } from './names.ts';
import { addRetries, type Parcel, type Retry, registerQueue } from './store.ts';

export interface SubscriptionOptions {
  pool: Pool;
  /** What messages are published through; retries too, so that they keep their order with other messages. */
  publishing: Pool;
  liveness: Liveness;
  namespace: string;
  logger: BusLogger;
  spec: QueueSpec;
  deliver: Deliver;
  pollMs: number;
  deliveryLimit: number;
}

export interface RunningSubscription extends Subscription {
  opened: Promise<void>;
  problem(): string | undefined;
}

/** One worker pool with one worker: jobs are taken one after the other, in order, and each is a batch. */
export function subscribe(options: SubscriptionOptions): RunningSubscription {
  const { spec, liveness, logger } = options;
  const closing = new AbortController();
  let inHand: string | undefined;
  let working: Promise<unknown> = Promise.resolve();
  const work = createTask(options, closing.signal);
  const task: Task = (payload, helpers) => {
    inHand = helpers.job.id;
    const done = work(payload, helpers);
    working = done.catch(() => undefined);
    return done;
  };
  const kept = keepOpen<WorkerPool>({
    name: spec.name,
    logger,
    async open() {
      await registerQueue(options.publishing, options.namespace, spec);
      const { workers, ending } = startWorkers(options, task);
      liveness.hold(workers.id, () => inHand);
      return { value: workers, lost: ending };
    },
    async dispose(workers) {
      const stopped = stopWorkers(workers);
      await working;
      await atMost(writingOffMs, stopped);
      liveness.drop(workers.id);
    },
  });
  return {
    opened: kept.opened,
    problem: kept.problem,
    async close() {
      closing.abort();
      await kept.close();
    },
  };
}

/**
 * A pool that could not write off a job may wait for ever for what it has written off (it counts wrongly from then on). Another
 * one is given what it did not.
 */
const writingOffMs = 5_000;

/**
 * A pool that cannot write off a job stops itself, and one whose very first question failed asks in vain for ever
 * (it keeps the failed answer): `ending` settles once either begins to stop, and `keepOpen` starts another.
 */
function startWorkers({ pool, namespace, spec, pollMs, logger }: SubscriptionOptions, task: Task) {
  const events = new EventEmitter();
  const workers = runTaskList(
    {
      schema: 'bus',
      noHandleSignals: true,
      concurrency: 1,
      pollInterval: pollMs,
      events,
      logger: quietLogger(logger),
      // Zero, not off: without it a failure to write off a job is a rejection nobody handles.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
    { [taskOf(namespace, spec.name)]: task },
    pool,
  );
  let answered = false;
  events.on('worker:getJob:empty', () => (answered = true));
  events.on('job:start', () => (answered = true));
  events.on('worker:getJob:error', () => answered || stopWorkers(workers));
  workers.promise.catch(() => undefined);
  const ending = new Promise<void>((resolve) => events.on('pool:gracefulShutdown', () => resolve()));
  return { workers, ending };
}

async function stopWorkers(workers: WorkerPool): Promise<void> {
  if (!workers._shuttingDown) await Promise.resolve(workers.gracefulShutdown()).catch(() => undefined);
  await workers.promise.catch(() => undefined);
}

type Task = (payload: unknown, helpers: JobHelpers) => Promise<void>;

function createTask(options: SubscriptionOptions, closing: AbortSignal): Task {
  const { deliver, logger, spec, publishing, namespace } = options;
  const { deliveryLimit = options.deliveryLimit } = spec;
  const handing: HandOverOptions = { deliver, queue: spec.name, closing, logger };

  return async (payload, { job }) => {
    const returned = job.attempts - 1;
    const messages = (payload as Parcel[]).map((parcel) => toIncoming(parcel, returned));
    const outcomes =
      returned < suspectAfter
        ? await handOver(messages, handing)
        : await oneByOne(messages, fromTheBack(returned), handing);
    if (outcomes === undefined) throw new Error('closed before the messages could be tried');
    const retries = messages.flatMap((message, n) => toRetry(message, outcomes[n]));
    if (retries.length > 0) await sendBack(retries);
  };

  function toIncoming({ event, attempt, waits }: Parcel, returned: number): IncomingMessage {
    if (returned <= deliveryLimit) return { event, attempt, waits };
    return { event, attempt, gaveUp: { queue: spec.name, reason: returnedTooOften } };
  }

  /** Added before the job is written off: a crash between the two makes a twin, never a loss. */
  async function sendBack(retries: Retry[]): Promise<void> {
    const sent = await untilDone(
      () => addRetries(publishing, namespace, spec.name, retries),
      closing,
      (error) =>
        logger.warn({ queue: spec.name, reason: reasonOf(error) }, 'a retry could not be sent; it waits in hand'),
    );
    if (!sent) throw new Error('closed before a retry could be sent');
  }
}

async function oneByOne(messages: IncomingMessage[], back: boolean, handing: HandOverOptions) {
  const outcomes: Outcome[] = new Array(messages.length);
  const turns = messages.map((message, n) => ({ message, n }));
  for (const { message, n } of back ? turns.reverse() : turns) {
    const [outcome] = (await handOver([message], handing)) ?? [];
    if (outcome === undefined) return undefined;
    outcomes[n] = outcome;
  }
  return outcomes;
}

function toRetry(message: IncomingMessage, outcome: Outcome | undefined): Retry[] {
  const comeback = comebackOf(message, outcome);
  return comeback ? [{ event: message.event, ...comeback }] : [];
}

/** What heals itself is no error here, and payloads stay out of the log. */
const quietLogger = (logger: BusLogger) =>
  new Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') logger.warn({ from: 'graphile-worker' }, message);
    else logger.debug({ from: 'graphile-worker' }, message);
  });
