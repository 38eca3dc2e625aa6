import { type OutsideType, outsideType } from '@ops/contracts/resources/communication';
import { every, type Job } from '@ops/service-kit/every';
import { restUntilRoom } from '@ops/service-kit/giving-way';
import { withinTime } from '@ops/service-kit/within-time';
import { sweep } from './sending-service.ts';
import { createSendingWorker, type WorkerOptions } from './sending-worker.ts';

export interface LoopOptions extends Omit<WorkerOptions, 'ended'> {
  /** Something was committed: there may be events to publish. */
  committed: () => void;
  arePeopleThere: () => boolean;
}

export interface SendingLoop {
  /** There may be something to send: looks at once, instead of at the next turn. */
  nudge(): void;
  start(): Job;
}

const lookEveryMs = 200;
const sweepEveryMs = 1_000;
const lastSendsMs = 5_000;
/** While people are there, one channel after the other. */
const smallLot = 5;
/** Whatever the provider took: it is the machine that others wait for, and of that only its room says anything. */
const lotRestMs = 100;
/** A provider that takes its time holds up others no longer than that and a rest. */
const longestLotMs = 500;

export function createSendingLoop(options: LoopOptions): SendingLoop {
  const { deps, committed } = options;
  const asked = new Set<OutsideType>();
  let looking: Promise<unknown> = Promise.resolve();
  let running = false;
  const worker = createSendingWorker({
    ...options,
    ended: (type) => {
      committed();
      ask([type]);
    },
  });

  /** One look at a time, and one more for all that asked meanwhile; while people are there, for one channel of them. */
  function ask(types: readonly OutsideType[]): void {
    const waiting = asked.size > 0;
    for (const type of types) asked.add(type);
    if (running && !waiting) lookNext();
  }

  const lookNext = () => {
    looking = looking.then(look);
  };

  async function look(): Promise<void> {
    if (!running) return;
    const givesWay = options.arePeopleThere();
    // A lot of each at once would be felt as one of all of them.
    const types = givesWay ? [...asked].slice(0, 1) : [...asked];
    for (const type of types) asked.delete(type);
    if (asked.size > 0) lookNext();
    try {
      const { inWork, mayBeMore } = await worker.take(types, givesWay ? smallLot : undefined);
      if (mayBeMore && givesWay) await giveWay(inWork);
    } catch (error) {
      deps.logger.warn({ err: error }, 'could not look for what is due');
    }
  }

  /** Where as much was taken as may go, more waits; what somebody writes meanwhile goes first with the next lot. */
  async function giveWay(inWork: readonly Promise<void>[]): Promise<void> {
    await withinTime(Promise.all(inWork), longestLotMs).catch(() => undefined);
    await restUntilRoom(lotRestMs, () => running && options.arePeopleThere());
  }

  return {
    nudge: () => ask(outsideType.options),
    start() {
      running = true;
      asked.clear();
      const turns = every(lookEveryMs, async () => ask(outsideType.options), deps.logger);
      const sweeps = every(sweepEveryMs, () => sweepAndTell(options), deps.logger);
      return {
        async stop() {
          running = false;
          await Promise.all([turns.stop(), sweeps.stop(), looking]);
          // What takes longer is left on the wire, as by a process that died.
          await withinTime(worker.atWork(), lastSendsMs).catch(() => undefined);
        },
      };
    },
  };
}

async function sweepAndTell({ deps, db, committed }: LoopOptions): Promise<void> {
  const { interrupted, expired } = await sweep(deps, db);
  if (interrupted > 0) deps.logger.warn({ interrupted }, 'sends broke off; whether they arrived is not known');
  if (interrupted + expired > 0) committed();
}
