import { createOutbox, type Outbox } from '@ops/bus/outbox';
import type { EventData, EventOf, EventType } from '@ops/contracts/events';
import {
  type CustomerCard,
  type RenewalStanding,
  renewalStanding,
  type SendPermission,
} from '@ops/contracts/internal-routes';
import { type Db, inTransaction, openDatabase } from '@ops/service-kit/database';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { createLogger } from '@ops/service-kit/logger';
import { uuidv7 } from '@ops/test-kit/builders';
import { canary } from '@ops/test-kit/logs';
import type { Deps, SendingDeps } from '../src/deps.ts';
import { createPace, type PaceLimits } from '../src/pacing/pacing.rules.ts';
import { guardAlerts } from '../src/planning/alert-guard-service.ts';
import type { Outcome, OutgoingMessage } from '../src/senders/sender.ts';
import { matchReceipts } from '../src/sending/receipt-service.ts';
import { queueSends } from '../src/sending/send-service.ts';
import { sweep } from '../src/sending/sending-service.ts';
import { createSendingWorker, type SendingWorker } from '../src/sending/sending-worker.ts';
import { worksAt } from './calendar.ts';
import { createTestDatabase } from './database.ts';

type Queued = EventData<'communication.queued'>;
type Received = EventData<'provider.receipt.received'>;
type Updated = EventData<'delivery.updated'>;

export const allowed: SendPermission = {
  may_send: true,
  reason: null,
  to: '+447700900123',
  user_id: null,
  window_open_until: null,
  time_zone: null,
};

export const queuedMessage = (given: Partial<Queued> = {}): Queued => ({
  customer_id: 'C-1',
  communication_id: uuidv7(),
  attempt: 1,
  type: 'SMS',
  to: '+447700900123',
  user_id: null,
  subject: null,
  body: canary(),
  attachments: [],
  in_reply_to: null,
  thread: { external_id: null, references: [] },
  renewal_id: null,
  locale: null,
  send_after: null,
  window_open_until: null,
  automated: false,
  opted_out: false,
  do_not_contact: false,
  ...given,
});

export const receiptOf = (given: Partial<Received>): Received => ({
  delivery_id: uuidv7(),
  item_id: uuidv7(),
  provider: 'twilio',
  account: 'AC1',
  external_id: 'SM1',
  occurred_at: '2026-03-01T10:00:01.000Z',
  received_at: '2026-03-01T10:00:02.000Z',
  attempt_id: null,
  status: 'DELIVERED',
  failure: null,
  ...given,
});

export const eventOf = <T extends EventType>(type: T, subject: string, data: EventData<T>): EventOf<T> => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'test',
  type,
  subject,
  time: '2026-03-01T10:00:00Z',
  data,
});

/** Everything but the wire and the other service: both are scripted, and the clock stands still until it is moved. */
export interface Desk {
  db: Db;
  databaseUrl: string;
  deps: SendingDeps;
  worker: SendingWorker;
  /** What the sender was given, in order. */
  sent: { message: OutgoingMessage; attemptId: string }[];
  /** The next send does this; once they are used up, it is accepted. */
  next(...acts: (Outcome | (() => Promise<Outcome>))[]): void;
  maySend(answer: () => SendPermission | 'away' | number): void;
  file(answer: () => Buffer | number): void;
  /** As renewals-service has them; unless said, as notifier was told of each. */
  renewals(answer: (() => Partial<RenewalStanding> | 'away') | undefined): void;
  /** As comms-service knows them; at first, nobody. */
  customers(...cards: CustomerCard[]): void;
  passMs(ms: number): void;
  queue(...messages: Queued[]): Promise<void>;
  receive(...receipts: Received[]): Promise<void>;
  sweep(): ReturnType<typeof sweep>;
  /** What others were told, in order. */
  told(): Promise<Updated[]>;
  send(communicationId: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Each transaction that is to tell of something loses its connection over it. */
export function cutOff(desk: Desk): Desk {
  const addMany: Outbox['addMany'] = async (trx) => {
    await trx.raw('SELECT pg_terminate_backend(pg_backend_pid())');
    return [];
  };
  return { ...desk, deps: { ...desk.deps, outbox: { ...desk.deps.outbox, addMany } } };
}

const unlimited: PaceLimits = { perSecond: 1_000, atOnce: 100, failures: 1_000, coolDownMs: 60_000 };

export async function openDesk(limits: Partial<PaceLimits> = {}): Promise<Desk> {
  const database = await createTestDatabase();
  const db = openDatabase(database.urls.notifier, { applicationName: 'test' });
  await worksAt(db);
  const script = createScript();
  const { deps, now } = scriptedDeps(script, db);
  const pace = () => createPace({ ...unlimited, ...limits }, now.at.getTime());
  const paces = { MESSAGING_APP: pace(), EMAIL: pace(), SMS: pace() };
  return {
    db,
    databaseUrl: database.urls.notifier,
    deps,
    sent: script.sent,
    next: script.next,
    worker: createSendingWorker({ deps, db, paces, ended: () => undefined }),
    maySend: (answer) => {
      script.permission = answer;
    },
    file: (answer) => {
      script.file = answer;
    },
    renewals: (answer) => {
      script.renewal = answer;
    },
    customers: (...cards) => {
      script.cards = cards;
    },
    passMs: (ms) => {
      now.at = new Date(now.at.getTime() + ms);
    },
    queue: (...messages) => inTransaction(db, (trx) => queueSends(deps, trx, messages.map(queuedEvent))),
    // As a consumer does, which hands over nothing when there is nothing new.
    receive: async (...receipts) =>
      receipts.length === 0
        ? undefined
        : inTransaction(db, (trx) => matchReceipts(deps, trx, receipts.map(receivedEvent))),
    sweep: () => sweep(deps, db),
    told: async () => (await db('outbox').orderBy('id')).map(({ event }) => event.data),
    send: (communication_id) => db('sends').where({ communication_id }).orderBy('attempt', 'desc').first(),
    close: async () => {
      await db.destroy();
      await database.drop();
    },
  };
}

export const queuedEvent = (data: Queued) => eventOf('communication.queued', data.customer_id, data);
export const receivedEvent = (data: Received) => eventOf('provider.receipt.received', data.external_id, data);

function createScript() {
  const acts: (Outcome | (() => Promise<Outcome>))[] = [];
  const sent: Desk['sent'] = [];
  return {
    sent,
    next: (...more: typeof acts) => void acts.push(...more),
    permission: (() => allowed) as () => SendPermission | 'away' | number,
    file: (() => Buffer.from('a file')) as () => Buffer | number,
    cards: [] as CustomerCard[],
    renewal: undefined as (() => Partial<RenewalStanding> | 'away') | undefined,
    async send(message: OutgoingMessage, attemptId: string): Promise<Outcome> {
      sent.push({ message, attemptId });
      const act = acts.shift() ?? { kind: 'accepted', providerMessageId: `SM-${attemptId}` };
      return typeof act === 'function' ? act() : act;
    },
  };
}

const standingColumns = Object.keys(renewalStanding.shape);

function scriptedDeps(script: ReturnType<typeof createScript>, db: Db) {
  const now = { at: new Date('2026-03-01T10:00:00.000Z') };
  const deps: Deps = {
    outbox: createOutbox('notifier'),
    now: () => now.at,
    today: () => now.at.toISOString().slice(0, 10),
    timeZone: 'UTC',
    random: () => 0,
    logger: createLogger('test', 'silent'),
    inBulk: (work) => work(),
    comms: {
      async maySend() {
        const answer = script.permission();
        if (answer === 'away') throw new InternalCallError('comms-service could not be asked');
        if (typeof answer === 'number') throw new InternalCallError(`comms-service answered ${answer}`, answer);
        return answer;
      },
      cards: async (ids) => script.cards.filter(({ id }) => ids.includes(id)),
      async file() {
        const answer = script.file();
        if (typeof answer === 'number') throw new InternalCallError(`comms-service answered ${answer}`, answer);
        return answer;
      },
    },
    renewals: {
      async standing(renewal_id) {
        const answer = script.renewal?.();
        if (answer === 'away') throw new InternalCallError('renewals-service could not be asked');
        const told = await db('followed_renewals').where({ renewal_id }).first(standingColumns);
        return { ...told, ...answer };
      },
    },
    senders: {
      SMS: { provider: 'twilio', send: script.send },
      EMAIL: { provider: 'smtp', send: script.send },
    },
    retry: { tries: 3, delaysMs: [10_000, 60_000] },
    expiresAfterMs: 12 * 3_600_000,
    leaseMs: 120_000,
  };
  return { deps: { ...deps, guard: guardAlerts(deps) }, now };
}
