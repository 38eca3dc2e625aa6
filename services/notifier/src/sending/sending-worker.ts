import { inSpan } from '@ops/bus/spans';
import { currentTrace } from '@ops/bus/trace';
import { type OutsideType, outsideType } from '@ops/contracts/resources/communication';
import type { Db } from '@ops/service-kit/database';
import { isDatabaseUnavailable } from '@ops/service-kit/database-errors';
import { v7 as uuidv7 } from 'uuid';
import type { SendingDeps } from '../deps.ts';
import type { Pace } from '../pacing/pacing.rules.ts';
import { giveBackAll } from './send-store.ts';
import { type Claimed, claimFor, giveBack, sendClaimed, type Turn } from './sending-service.ts';
import { workTogether } from './trying-service.ts';

export interface WorkerOptions {
  deps: SendingDeps;
  db: Db;
  paces: Record<OutsideType, Pace>;
  /** A send of this channel was worked off: there may be events to publish, and room for the next. */
  ended: (type: OutsideType) => void;
}

/** What is in work now, and whether as much was taken as might go: more may be due. */
interface Taken {
  inWork: Promise<void>[];
  mayBeMore: boolean;
}

export interface SendingWorker {
  /** Takes what is due on these channels and may go now, of each so many at most. */
  take(types: readonly OutsideType[], most?: number): Promise<Taken>;
  /** Resolves when all it took was worked off. */
  runOnce(): Promise<{ taken: number }>;
  /** What is in work, whenever it was taken. */
  atWork(): Promise<unknown>;
}

/** While comms-service is away every message would be taken and given back in vain. */
const commsPauseMs = 1_000;

export function createSendingWorker({ deps, db, paces, ended }: WorkerOptions): SendingWorker {
  const together = workTogether(deps, db);
  const inWork = new Set<Promise<void>>();
  /** Claims that failed: they may have taken something all the same. */
  const unheard = new Set<string>();
  let pausedUntil = 0;
  const nowMs = () => deps.now().getTime();

  async function takeFrom(type: OutsideType, most: number): Promise<Taken> {
    const limit = nowMs() < pausedUntil ? 0 : Math.min(most, paces[type].allowance(nowMs()));
    if (limit === 0) return { inWork: [], mayBeMore: false };
    const claimed = await claim(type, limit);
    paces[type].taken(claimed.length);
    return { inWork: claimed.map(begin), mayBeMore: claimed.length === limit };
  }

  async function claim(type: OutsideType, limit: number): Promise<Claimed[]> {
    const id = uuidv7();
    try {
      return await claimFor(deps, db, type, limit, id);
    } catch (error) {
      unheard.add(id);
      throw error;
    }
  }

  async function giveBackUnheard(): Promise<void> {
    const claims = [...unheard];
    if (claims.length === 0) return;
    await giveBackAll(db, claims);
    for (const id of claims) unheard.delete(id);
  }

  /** Never rejects: what fails is found again, by its state. */
  function begin(claimed: Claimed): Promise<void> {
    const sending = currentTrace.run(claimed.trace, () =>
      inSpan('deliver', { attributes: { channel: claimed.type } }, () => sendClaimed(deps, db, claimed, together)),
    );
    const done = sending
      .catch((error: unknown) => failed(claimed, error))
      .then((turn) => {
        inWork.delete(done);
        paces[claimed.type].ended(turn, nowMs());
        if ('commsAway' in turn) pausedUntil = nowMs() + commsPauseMs;
        ended(claimed.type);
      });
    inWork.add(done);
    return done;
  }

  async function failed(claimed: Claimed, error: unknown): Promise<Turn> {
    deps.logger.warn({ err: error }, 'a send could not be worked off; unless it is given back its claim will run out');
    if (isDatabaseUnavailable(error)) await giveBack(deps, db, claimed).catch(() => undefined);
    return { provider: 'not_asked' };
  }

  async function take(types: readonly OutsideType[], most = Number.POSITIVE_INFINITY): Promise<Taken> {
    await giveBackUnheard();
    const taken = await Promise.all(types.map((type) => takeFrom(type, most)));
    return { inWork: taken.flatMap((one) => one.inWork), mayBeMore: taken.some((one) => one.mayBeMore) };
  }

  return {
    take,
    async runOnce() {
      const { inWork: begun } = await take(outsideType.options);
      await Promise.all(begun);
      return { taken: begun.length };
    },
    atWork: () => Promise.all(inWork),
  };
}
