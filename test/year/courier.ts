import type { Envelope } from '@ops/contracts/envelope';
import { type EventOf, type EventType, events, type HeardBy, readerOf } from '@ops/contracts/events';
import { type Db, inTransaction, rows, type Trx } from '@ops/service-kit/database';
import type { Random } from '@ops/test-kit/random';

type QueueName = (typeof events)[EventType]['queues'][number];

/** A queue and who reads it. */
export interface Reader {
  queue: string;
  db: Db;
  take(trx: Trx, batch: readonly Envelope[]): Promise<void>;
}

export function reader<Queue extends QueueName>(
  queue: Queue,
  db: Db,
  handle: (trx: Trx, batch: EventOf<HeardBy<Queue>>[]) => Promise<void>,
): Reader {
  const read = readerOf(queue);
  const readAll = (batch: readonly Envelope[]) =>
    batch.map((event) => {
      const { data, error } = read(event);
      if (data === undefined) throw error;
      return data;
    });
  return { queue, db, take: (trx, batch) => handle(trx, readAll(batch)) };
}

export interface Courier {
  /** Of others than these services. */
  bring(...from: Envelope[]): void;
  /** Hands over all there is, and all that follows from it. */
  carry(): Promise<void>;
  /** How often somebody died before the end of a transaction; what they had been handed came again. */
  cut: number;
}

class Dead extends Error {}

/**
 * The bus of a world without processes: what is in the outboxes comes to whoever is to hear it, in batches of any size, the
 * queues in any order. `dies`: whoever has just done all but commit does not.
 */
export function courierBetween(
  outboxes: readonly Db[],
  readers: readonly Reader[],
  { random, dies }: { random: Random; dies: () => boolean },
): Courier {
  const waiting = new Map<string, Envelope[]>(readers.map(({ queue }) => [queue, []]));
  const put = (event: Envelope) => {
    for (const queue of events[event.type as EventType].queues) {
      const before = waiting.get(queue);
      if (!before) throw new Error(`nobody reads ${queue}`);
      before.push(event);
    }
  };

  async function fetchFrom(db: Db): Promise<void> {
    const told = await rows<{ id: string; event: Envelope }>(db, 'DELETE FROM outbox RETURNING id, event', {});
    for (const { event } of told.toSorted((a, b) => Number(a.id) - Number(b.id))) put(event);
  }

  async function handOver({ queue, db, take }: Reader): Promise<void> {
    const all = waiting.get(queue) ?? [];
    const batch = all.slice(0, 1 + random.below(20));
    const isCut = dies();
    const work = inTransaction(db, async (trx) => {
      await take(trx, batch);
      if (isCut) throw new Dead();
    });
    await work.then(
      () => all.splice(0, batch.length),
      (error: unknown) => {
        if (!(error instanceof Dead)) throw error;
        courier.cut += 1;
      },
    );
  }

  const courier: Courier = {
    cut: 0,
    bring: (...from) => from.forEach(put),
    async carry() {
      for (const db of outboxes) await fetchFrom(db);
      for (;;) {
        const busy = readers.filter(({ queue }) => waiting.get(queue)?.length);
        if (busy.length === 0) return;
        const one = random.pick(busy);
        await handOver(one);
        await fetchFrom(one.db);
      }
    },
  };
  return courier;
}
