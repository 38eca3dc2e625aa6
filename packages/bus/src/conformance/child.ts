/** A process of its own that the suite kills: told by an environment variable, answering over IPC. */
import { startConsumer } from '../consumer.ts';
import type { Bus } from '../port.ts';
import { gaveUpOn, newRelay, queues, writeEffects } from './events.ts';
import { type BusSettings, openBus, openDb, silent } from './world.ts';

/**
 * - `hold`: takes messages, writes their effects, never commits
 * - `die-on-poison`: is killed by events of the customer POISON
 * - `die-before-publish`, `die-before-mark`: a relay that dies at that point
 */
export type ChildRole = 'hold' | 'die-on-poison' | 'die-before-publish' | 'die-before-mark';

const { role, settings } = JSON.parse(process.env.BUS_CHILD ?? '{}') as { role: ChildRole; settings: BusSettings };
const db = openDb(settings.databaseUrl);
const bus = await openBus(settings);
process.on('disconnect', () => process.exit());

const die = () => process.kill(process.pid, 'SIGKILL');
const never = new Promise<never>(() => undefined);

async function consume(): Promise<void> {
  await startConsumer({
    db,
    bus,
    queue: queues.work,
    logger: silent,
    gaveUp: (trx, event) => writeEffects(trx, gaveUpOn, [event]),
    async handle(trx, events) {
      if (role === 'die-on-poison' && events.some(({ subject }) => subject === 'POISON')) {
        die();
        await never;
      }
      await writeEffects(trx, queues.work.name, events);
      process.send?.('working');
      if (role === 'hold') await never;
    },
  });
  // What is given up on is told to who reads its queue, though another was read last.
  await startConsumer({ db, bus, queue: queues.renewals, logger: silent, handle: async () => {} });
}

async function relay(): Promise<void> {
  const publish: Bus['publish'] = async (messages) => {
    if (role === 'die-before-mark') await bus.publish(messages);
    die();
    await never;
  };
  await newRelay(db, { publish }).runOnce();
}

await (role === 'hold' || role === 'die-on-poison' ? consume() : relay());
process.send?.('ready');
