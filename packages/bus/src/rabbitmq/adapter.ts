import { BrokerAwayError, UnroutableError } from '../errors.ts';
import { leaving } from '../leaving.ts';
import type { BusLogger } from '../logger.ts';
import type { Bus, Deliver, IncomingMessage, Outcome, OutgoingMessage, QueueSpec, Subscription } from '../port.ts';
import { readDeadLettersBack } from './dead-letter-intake.ts';
import { openLink } from './link.ts';
import { declareDeadLetterQueue, declareQueue, type Names, namesIn } from './names.ts';
import { isOfItsPublisher } from './origin.ts';
import { createPublisher, type Parcel, type Publisher } from './publisher.ts';
import { findMissingRoutes } from './routes.ts';
import { type RunningSubscription, subscribe } from './subscription.ts';
import { openTap } from './tap.ts';

export interface RabbitMqOptions {
  url: string;
  namespace: string;
  /** Names the connections, and the dead-letter queue that is read back. */
  service: string;
  logger: BusLogger;
  /** Returns of one message to the queue before the broker gives up on it. */
  deliveryLimit?: number;
  confirmTimeoutMs?: number;
  /** Most messages published and not yet confirmed. */
  window?: number;
}

/** Publishing has its own connection: a broker that holds publishers back must not hold back acknowledgements. */
export async function connectRabbitMq(options: RabbitMqOptions): Promise<Bus> {
  const { url, namespace, service, logger, deliveryLimit = 50, confirmTimeoutMs = 10_000, window = 256 } = options;
  const names = namesIn(namespace, service);
  const [publishing, consuming] = await Promise.all([
    openLink(url, `${service} publish`, logger),
    openLink(url, `${service} consume`, logger),
  ]);
  const publisher = createPublisher({ link: publishing, names, logger, confirmTimeoutMs, window });
  if (publishing.problem() === undefined) await publisher.tried;
  const parts = { link: consuming, publisher, names, logger };
  const subscriptions = new Set<RunningSubscription>();
  const taps = new Set<ReturnType<typeof openTap>>();
  let intake: RunningSubscription | undefined;
  const wrappers = new Map<string, Deliver>();
  let closed: Promise<void> | undefined;

  async function consume(spec: QueueSpec, deliver: Deliver): Promise<Subscription> {
    wrappers.set(spec.name, deliver);
    intake ??= readDeadLettersBack({ ...parts, service, deliver: keepBy(wrappers) });
    const running = subscribe({
      ...parts,
      queue: names.queue(spec.name),
      batch: spec.batch,
      prefetch: spec.prefetch,
      deliver,
      believed: isOfItsPublisher(names, names.queue(spec.name)),
      async declare(channel) {
        const dead = await declareDeadLetterQueue(channel, names, service);
        await channel.bindQueue(dead, names.dead, names.queue(spec.name));
        await declareQueue(channel, names, spec, spec.deliveryLimit ?? deliveryLimit);
      },
    });
    subscriptions.add(running);
    await running.opened;
    return {
      async close() {
        subscriptions.delete(running);
        await Promise.all([running.close(), subscriptions.size === 0 && closeIntake()]);
      },
    };
  }

  async function closeIntake(): Promise<void> {
    const closing = intake;
    intake = undefined;
    await closing?.close();
  }

  return {
    comeTogether: true,
    publish: createPublish(publisher, names, logger),
    consume,
    missingRoutes: (routes) => findMissingRoutes(publishing, names, routes),
    tap: (types, listener) => leaving(taps, openTap({ ...parts, types, listener })),
    async check() {
      const problem = [consuming, intake, ...subscriptions]
        .map((part) => part?.problem())
        .find((reason) => reason !== undefined);
      if (problem !== undefined) throw new BrokerAwayError(problem);
      await publisher.check();
    },
    close: () => (closed ??= closeAll()),
  };

  async function closeAll(): Promise<void> {
    await Promise.all([closeIntake(), ...[...subscriptions, ...taps].map((part) => part.close())]);
    await publisher.close();
    await Promise.all([publishing.close(), consuming.close()]);
  }
}

/** By who reads the queue it was in, who knows what follows; of one that is gone, by any: they share one database. */
function keepBy(wrappers: Map<string, Deliver>): Deliver {
  const [any] = wrappers.values();
  const keep = (message: IncomingMessage) => (wrappers.get(message.gaveUp?.queue ?? '') ?? any)?.([message]) ?? [];
  return async (messages) => {
    const outcomes: Outcome[] = [];
    for (const message of messages) outcomes.push(...(await keep(message)));
    return outcomes;
  };
}

const createPublish =
  (publisher: Publisher, names: Names, logger: BusLogger): Bus['publish'] =>
  async (messages) => {
    const parcels = messages.map((message) => toParcel(message, names));
    const { returned } = await publisher.publish(parcels);
    const nowhere = messages.filter((_, n) => returned.has(parcels[n] as Parcel));
    const missed = nowhere.filter(({ queue }) => queue !== undefined);
    if (missed.length > 0) throw new UnroutableError(missed);
    if (nowhere.length > 0)
      logger.debug({ types: nowhere.map(({ event }) => event.type) }, 'no queue takes these events');
  };

const toParcel = ({ event, queue, live }: OutgoingMessage, names: Names): Parcel => ({
  exchange: queue === undefined ? names.events : names.returns,
  routingKey: queue !== undefined ? names.queue(queue) : live ? names.live(event.type) : event.type,
  content: Buffer.from(JSON.stringify(event)),
  options: { persistent: true, contentType: 'application/cloudevents+json', messageId: event.id },
});
