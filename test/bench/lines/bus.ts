import { openBus } from '../events-on-the-bus.ts';
import { openBareBroker } from '../floors/bare-broker.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { inTurns, median, medianOf } from '../rounds.ts';

const events = 20_000;

export const outbox: Line = {
  name: 'outbox',
  title: 'outbox to broker: read, published, confirmed and marked',
  floor: 'the same bytes published to a quorum queue by bare amqplib, confirmed; it reads and marks no rows',
  minutes: 0.5,
  measure: (bench) => measure(bench, 'published', { what: 'outbox to broker', atLeast: 0.8 }),
};

export const effect: Line = {
  name: 'effect',
  title: 'broker to committed effect: a consumer with inbox and a row an event',
  floor: 'the same bytes taken from a quorum queue and acknowledged by bare amqplib; it writes no rows',
  minutes: 0.5,
  measure: (bench) => measure(bench, 'taken', { what: 'broker to committed effect', atLeast: 0.5 }),
};

/** Events pass all of the way on both sides; what is told of is one half of it. */
async function measure(
  bench: Bench,
  half: 'published' | 'taken',
  { what, atLeast }: { what: string; atLeast: number },
): Promise<Figure[]> {
  const pass = await openBus(bench);
  const { content } = await pass(1_000);
  const bare = await openBareBroker(bench.undo, content);
  const { system, floor } = await inTurns(
    bench.rounds,
    async () => (await pass(events))[half],
    async () => {
      const beside = { published: await bare.publish(events), taken: await bare.take(events) };
      return beside[half];
    },
  );
  const aim = { of: 'ratio', atLeast } as const;
  const [own, postgres] = [medianOf(system, (one) => one.own), medianOf(system, (one) => one.postgres)];
  const told = `processor time of ${events}: this process, which plays the service, ${own.toFixed(2)} s, Postgres ${postgres.toFixed(2)} s`;
  return [
    { what, unit: '/s', system: medianOf(system, (one) => events / one.seconds), floor: median(floor), aim, told },
  ];
}
