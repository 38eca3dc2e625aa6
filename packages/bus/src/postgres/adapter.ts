import type { Envelope } from '@ops/contracts/envelope';
import { BrokerAwayError, reasonOf, UnroutableError } from '../errors.ts';
import { leaving } from '../leaving.ts';
import type { BusLogger } from '../logger.ts';
import type { Bus, OutgoingMessage } from '../port.ts';
import { clientConfig, openPool } from './client.ts';
import { keepLiveness, type Liveness } from './liveness.ts';
import { tapChannel } from './names.ts';
import { missingRoutes, publishJobs } from './store.ts';
import { type RunningSubscription, subscribe } from './subscription.ts';
import { openTap, toNotes } from './tap.ts';

export interface PostgresBusOptions {
  url: string;
  namespace: string;
  service: string;
  logger: BusLogger;
  /** Types a tap can hear. Whoever may connect may listen, so they carry nothing that is not for everyone. */
  tapTypes: readonly string[];
  /** How often it looks for retries that have come due; new messages announce themselves. */
  pollMs?: number;
  /** How often it looks for consumers that died. */
  reapMs?: number;
  /** After how long a job that its consumer was given is given anew, if that never heard of it. */
  unheardMs?: number;
  deliveryLimit?: number;
}

/** Needs the schema `bus` (`installBusSchema`) to publish and consume; a tap alone needs only to connect. */
export function connectPostgres(options: PostgresBusOptions): Bus {
  const { url, namespace, service, logger, pollMs = 1_000, reapMs = 2_000, deliveryLimit = 50 } = options;
  const channel = tapChannel(namespace);
  // One connection, so that calls are published in the order they were made.
  const publishing = openPool({ ...clientConfig(url, `${service} publish`), max: 1 });
  // Each queue listens on one of its own; the rest are shared by short questions.
  const consuming = openPool({ ...clientConfig(url, `${service} consume`), max: 40 });
  const subscriptions = new Set<RunningSubscription>();
  const taps = new Set<ReturnType<typeof openTap>>();
  let liveness: Liveness | undefined;
  let closed: Promise<void> | undefined;

  const notesOf = ({ event, queue }: OutgoingMessage) =>
    queue === undefined && options.tapTypes.includes(event.type) ? toNotes(event as Envelope) : [];

  return {
    async publish(messages) {
      const notes = messages.flatMap(notesOf);
      const toQueues = messages.filter(({ live, queue }) => !live || queue !== undefined);
      const unroutable = await publishJobs(publishing, namespace, toQueues, { channel, notes }).catch((error) => {
        throw new BrokerAwayError(reasonOf(error));
      });
      if (unroutable.length > 0) throw new UnroutableError(unroutable);
    },
    async consume(spec, deliver) {
      liveness ??= keepLiveness({ ...options, config: clientConfig(url, `${service} liveness`), reapMs });
      const running = subscribe({
        pool: consuming,
        publishing,
        liveness,
        namespace,
        logger,
        spec,
        deliver,
        pollMs,
        deliveryLimit,
      });
      return leaving(subscriptions, running);
    },
    comeTogether: false,
    missingRoutes: (routes) =>
      missingRoutes(publishing, namespace, routes).catch((error) => {
        throw new BrokerAwayError(reasonOf(error));
      }),
    async tap(types, listener) {
      const config = clientConfig(url, `${service} tap`);
      return leaving(taps, openTap({ config, channel, types, listener, logger }));
    },
    async check() {
      const problem = [liveness, ...subscriptions]
        .map((part) => part?.problem())
        .find((reason) => reason !== undefined);
      if (problem !== undefined) throw new BrokerAwayError(problem);
      await publishing.query('SELECT 1');
    },
    close: () => (closed ??= closeAll()),
  };

  async function closeAll(): Promise<void> {
    await Promise.all([...subscriptions, ...taps].map((part) => part.close()));
    await liveness?.close();
    await Promise.all([publishing.end(), consuming.end()]);
  }
}
