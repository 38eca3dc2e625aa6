import { createOutbox } from '@ops/bus/outbox';
import { followAgents, knownOf } from '@ops/following/agent-service';
import { toldIn } from '@ops/following/customer-service';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import type { Random } from '@ops/test-kit/random';
import { createTestDatabase } from '@ops/test-system/database';
import { logPlanned } from '../../services/comms-service/src/communications/planned-service.ts';
import { readCards } from '../../services/comms-service/src/customers/customer-service.ts';
import { takeDeliveryUpdates } from '../../services/comms-service/src/delivery-status/delivery-service.ts';
import { askToSend } from '../../services/comms-service/src/delivery-status/leaving-service.ts';
import type { Deps as CommsDeps } from '../../services/comms-service/src/deps.ts';
import { takeIn } from '../../services/comms-service/src/inbound/inbound-service.ts';
import { writeTimeline } from '../../services/comms-service/src/timeline/timeline-service.ts';
import type { SendingDeps } from '../../services/notifier/src/deps.ts';
import { createPace } from '../../services/notifier/src/pacing/pacing.rules.ts';
import { guardAlerts } from '../../services/notifier/src/planning/alert-guard-service.ts';
import { lookAtAlerts } from '../../services/notifier/src/planning/ends-service.ts';
import { followRenewals } from '../../services/notifier/src/planning/following-service.ts';
import { learnDeliveries, learnSettled } from '../../services/notifier/src/planning/learning-service.ts';
import { finishRuns, writeLetters } from '../../services/notifier/src/planning/letter-service.ts';
import { planAlerts } from '../../services/notifier/src/planning/planning-service.ts';
import { matchReceipts } from '../../services/notifier/src/sending/receipt-service.ts';
import { queueSends } from '../../services/notifier/src/sending/send-service.ts';
import { sweep } from '../../services/notifier/src/sending/sending-service.ts';
import { createSendingWorker } from '../../services/notifier/src/sending/sending-worker.ts';
import {
  askToConfirm,
  followCustomers as followCustomersInNotifier,
  tellMentioned,
} from '../../services/notifier/src/tasks/task-service.ts';
import { worksAt } from '../../services/notifier/test/calendar.ts';
import { takeMessages, takeOutcomes } from '../../services/renewals-service/src/alert-outcomes/alert-service.ts';
import { followAlertPlan } from '../../services/renewals-service/src/alert-plan/plan-service.ts';
import type { Deps as RenewalsDeps } from '../../services/renewals-service/src/deps.ts';
import { refresh } from '../../services/renewals-service/src/refresh/refresh-service.ts';
import { createRefresher } from '../../services/renewals-service/src/refresh/refresh-worker.ts';
import { followCustomers } from '../../services/renewals-service/src/renewals/customer-agent-service.ts';
import { isClosed } from '../../services/renewals-service/src/renewals/renewal.rules.ts';
import { standingOf } from '../../services/renewals-service/src/renewals/renewal-service.ts';
import { followTasks } from '../../services/renewals-service/src/tasks/task-service.ts';
import { takePublished } from '../../services/renewals-service/src/upstream/upstream-service.ts';
import { Hours, type Office, waitingAt } from '../histories/office.ts';
import type { Clock } from './clock.ts';
import { type Courier, courierBetween, type Reader, reader } from './courier.ts';
import { type Outside, outsideAt } from './outside.ts';

const logger = createLogger('test', 'silent');

/**
 * Three services over their own tables, by one clock and without processes: what their queues, jobs and doors would call is
 * called here. Only the bus between them and the providers are played.
 */
export interface Firm {
  clock: Clock;
  random: Random;
  /** Whoever is at work today may die of it. */
  isDeadly: boolean;
  comms: { db: Db; deps: CommsDeps };
  renewals: { db: Db; deps: RenewalsDeps; url: string };
  notifier: { db: Db; deps: SendingDeps };
  /** When messages may leave. */
  hours: Hours;
  outside: Outside;
  courier: Courier;
  /** Today's run, to its end. */
  refresh(): Promise<unknown>;
  /** Whatever is to be done at this moment is. */
  work(): Promise<void>;
  database(name: 'renewals' | 'notifier' | 'comms'): Db;
  close(): Promise<void>;
}

/** As it is installed, with holidays. */
const office: Office = {
  days: [0, 1, 2, 3, 4],
  from: 8,
  until: 18,
  holidays: [20, 57, 58, 111, 150, 204, 207, 208, 214, 290, 300, 331].map((first) => ({ first, days: 1 })),
  quiet: { from: 20, until: 8 },
  ahead: 0,
};

export async function openFirm(clock: Clock, random: Random): Promise<Firm> {
  const database = await createTestDatabase();
  const open = (name: 'comms' | 'renewals' | 'notifier') =>
    openDatabase(database.urls[name], { applicationName: 'test' });
  const dbs = { comms: open('comms'), renewals: open('renewals'), notifier: open('notifier') };
  const { working_days, hours: opening, closed } = waitingAt(office, clock.today()).time;
  const holidays = [...closed].map(([date, name]) => ({ date, name, closed: true }));
  await worksAt(dbs.notifier, { working_days: [...working_days], hours: opening, holidays });
  const dies = () => firm.isDeadly && random.below(3) === 0;
  const hours = new Hours(office, clock.today());
  const namedIn = async (record: string) => {
    const words = await dbs.comms('communications').where({ id: record }).first('renewal_id', 'other_renewal_ids');
    const named: string[] = [words.renewal_id, ...words.other_renewal_ids];
    const standings = await Promise.all(named.map((one) => standingOf(renewals.deps, dbs.renewals, one)));
    const about = dbs.notifier('alert_actions').where({ letter_id: record, renewal_id: named[0] });
    const first = await about.first('rung', 'due_date', 'together');
    return {
      named,
      isHeld: standings.some(({ hold }) => hold !== null),
      isOver: standings.some(({ status }) => isClosed(status)),
      isUntimely: !hours.mayLeave(clock.now(), first),
    };
  };
  const outside = outsideAt({ clock, random, dies, namedIn });
  const services = servicesOver(dbs, clock, outside);
  const { comms, renewals, notifier } = services;
  const courier = courierBetween(Object.values(dbs), readersOf(services), { random, dies });
  const refresher = createRefresher({ ...renewals.deps, db: dbs.renewals, logger, committed: () => {}, batch: 5 });
  const firm: Firm = {
    clock,
    random,
    isDeadly: false,
    comms,
    renewals: { ...renewals, url: database.urls.renewals },
    notifier,
    hours,
    outside,
    courier,
    refresh: () => refresh(refresher, { started_by: null }),
    async work() {
      courier.bring(...outside.receipts());
      await sweep(notifier.deps, notifier.db);
      for (let taken = 1, looked = 1, written = 1; taken + looked + written > 0; ) {
        await courier.carry();
        ({ taken } = await sendDue(notifier, outside));
        ({ looked } = await lookAtAlerts(notifier.deps, notifier.db));
        ({ written } = await writeLetters(notifier.deps, notifier.db));
      }
    },
    database: (name) => dbs[name],
    async close() {
      await Promise.all(Object.values(dbs).map((db) => db.destroy()));
      await database.drop();
    },
  };
  return firm;
}

/** A worker that dies on the wire is not waited for: another one begins. */
async function sendDue({ deps, db }: Firm['notifier'], outside: Outside): Promise<{ taken: number }> {
  const limits = { perSecond: 1_000, atOnce: 1, failures: 1_000, coolDownMs: 60_000 };
  const pace = () => createPace(limits, deps.now().getTime());
  const paces = { MESSAGING_APP: pace(), EMAIL: pace(), SMS: pace() };
  const worker = createSendingWorker({ deps, db, paces, ended: () => {} });
  const death = outside.nextDeath();
  const { inWork } = await worker.take(['MESSAGING_APP', 'EMAIL', 'SMS']);
  await Promise.race([Promise.all(inWork), death]);
  return { taken: inWork.length };
}

type Services = Pick<Firm, 'comms' | 'notifier'> & { renewals: Omit<Firm['renewals'], 'url'> };

function servicesOver(dbs: Record<'comms' | 'renewals' | 'notifier', Db>, clock: Clock, outside: Outside): Services {
  const { now, today } = clock;
  const cards = (ids: readonly string[]) => readCards(dbs.comms, ids);
  const agents = { known: (ids: readonly string[]) => knownOf(dbs.notifier, ids) };
  const comms: CommsDeps = {
    outbox: createOutbox('comms-service'),
    now,
    agents,
    phoneRegion: undefined,
    automatedSendsAnHour: 20,
  };
  const dateAt = (moment: Date) => moment.toISOString().slice(0, 10);
  const outbox = createOutbox('renewals-service');
  const renewals: RenewalsDeps = { outbox, now, today, dateAt, customers: { cards }, agents };
  const planning = {
    outbox: createOutbox('notifier'),
    logger,
    inBulk: <T>(work: () => Promise<T>) => work(),
    now,
    today,
    timeZone: 'UTC',
    random: () => 0,
    comms: {
      cards,
      maySend: (id: string, attempt: number) => askToSend(comms, dbs.comms, id, attempt),
      file: () => Promise.reject(new Error('alerts have no files')),
    },
    renewals: { standing: (id: string) => standingOf(renewals, dbs.renewals, id) },
    senders: outside.senders,
    retry: { tries: 6, delaysMs: [60_000, 300_000, 1_800_000, 3_600_000, 14_400_000] },
    expiresAfterMs: 12 * 3_600_000,
    leaseMs: 120_000,
  };
  const notifier = { ...planning, guard: guardAlerts(planning) };
  return {
    comms: { db: dbs.comms, deps: comms },
    renewals: { db: dbs.renewals, deps: renewals },
    notifier: { db: dbs.notifier, deps: notifier },
  };
}

/** As each service has its queues read. */
function readersOf(services: Services): Reader[] {
  return [...readersOfComms(services), ...readersOfNotifier(services), ...readersOfRenewals(services)];
}

const readersOfComms = ({ comms: { db, deps } }: Services): Reader[] => [
  reader('comms-service:renewal:timeline', db, writeTimeline),
  reader('comms-service:provider-message:log', db, (trx, batch) => takeIn(deps, trx, batch)),
  reader('comms-service:communication:send', db, (trx, batch) => logPlanned(deps, trx, batch)),
  reader('comms-service:delivery:status', db, (trx, batch) => takeDeliveryUpdates(deps, trx, batch)),
  reader('comms-service:agent:follow', db, followAgents),
];

const readersOfNotifier = ({ notifier: { db, deps } }: Services): Reader[] => [
  reader('notifier:communication:send', db, (trx, batch) => queueSends(deps, trx, batch)),
  reader('notifier:communication:settled', db, (trx, batch) => learnSettled(deps, trx, batch)),
  reader('notifier:receipt:match', db, (trx, batch) => matchReceipts(deps, trx, batch)),
  reader('notifier:renewal:messaging', db, (trx, batch) => planAlerts(deps, trx, 'messaging', batch)),
  reader('notifier:renewal:email', db, (trx, batch) => planAlerts(deps, trx, 'email', batch)),
  reader('notifier:renewal:task', db, (trx, batch) => planAlerts(deps, trx, 'task', batch)),
  reader('notifier:delivery:stand-in', db, (trx, batch) => learnDeliveries(deps, trx, batch)),
  reader('notifier:renewal:follow', db, (trx, batch) => followRenewals(deps, trx, batch)),
  reader('notifier:note:mentioned', db, (trx, batch) => tellMentioned(deps, trx, batch)),
  reader('notifier:renewal:confirm', db, (trx, batch) => askToConfirm(deps, trx, batch)),
  reader('notifier:refresh:letters', db, (trx, batch) => finishRuns(deps, trx, batch)),
  reader('notifier:customer:follow', db, (trx, batch) => followCustomersInNotifier(deps, trx, toldIn(batch))),
];

const readersOfRenewals = ({ renewals: { db, deps } }: Services): Reader[] => [
  reader('renewals-service:upstream:watch', db, (trx, batch) => takePublished(deps, trx, batch)),
  reader('renewals-service:alert:outcome', db, (trx, batch) => takeOutcomes(deps, trx, batch)),
  reader('renewals-service:communication:link', db, (trx, batch) => takeMessages(deps, trx, batch)),
  reader('renewals-service:customer:follow', db, (trx, batch) => followCustomers(deps, trx, toldIn(batch))),
  reader('renewals-service:agent:follow', db, followAgents),
  reader('renewals-service:task:follow', db, followTasks),
  reader('renewals-service:alert-plan:follow', db, followAlertPlan),
];
