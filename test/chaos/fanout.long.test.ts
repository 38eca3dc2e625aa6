import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication, OutsideType } from '@ops/contracts/resources/communication';
import type { RefreshRun } from '@ops/contracts/resources/refresh';
import type { Renewal, RenewalDetail, Rung } from '@ops/contracts/resources/renewal';
import type { Task } from '@ops/contracts/resources/task';
import type { TaskPriority } from '@ops/contracts/resources/task-priority';
import type { JournalEntry } from '@ops/provider-sim/test/simulator';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type RabbitNode, startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import { type Random, seeded } from '@ops/test-kit/random';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import { type System, startSystem } from '@ops/test-system/system';
import { type Blow, inTheMidst, patienceMs, whileHeld } from './midst.ts';
import { type Client, everyPage } from './pages.ts';
import { nothingWaits } from './quiet.ts';

const RENEWALS = Number(process.env.CHAOS_FANOUT ?? 90);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const WORKERS = 8;
/** Of a refresh, so that there is something between its batches. */
const BATCH = Math.ceil(RENEWALS / 30);
/** What notifier takes from a queue at most. */
const DECIDED_AT_ONCE = 50;
/** Several renewals of one customer are alerted of at once. */
const CUSTOMERS = Math.ceil(RENEWALS / 3);

/** Nobody's quiet hours hold. */
const office = zoneWhereItIs(12);

interface Led {
  days: number;
  rung: Rung;
  task: TaskPriority | null;
}

/** What the plan the system comes with makes of a date so many days ahead. */
const ladder: readonly Led[] = [
  { days: 80, rung: '90', task: null },
  { days: 50, rung: '60', task: null },
  { days: 20, rung: '30', task: null },
  { days: 10, rung: '14', task: 'HIGH' },
  { days: 5, rung: '7', task: 'URGENT' },
  { days: -2, rung: 'OVERDUE', task: 'URGENT' },
];

/** Told by its own service type in every text it leads to. */
interface Watched extends Led {
  type: string;
  customer: string;
  /** By staff, after its alert fired and before anything was sent. */
  completed: boolean;
  id: string;
}

const customerOf = (n: number) => `C-fanout-${n % CUSTOMERS}`;
const watched: Watched[] = Array.from({ length: RENEWALS }, (_, i) => ({
  ...(ladder[i % ladder.length] as Led),
  type: `DEMO_${String(i).padStart(6, '0')}`,
  customer: customerOf(i),
  completed: i % 10 === 0,
  id: '',
}));
const alerted = watched.filter(({ completed }) => !completed);
/** At least: a letter each by the messaging app. */
const messages = new Set(alerted.map(({ customer }) => customer)).size;

const env = {
  OPS_TIME_ZONE: office,
  REFRESH_CRON: 'off',
  REFRESH_BATCH: String(BATCH),
  RATE_LIMIT_PER_MINUTE: '1000000',
  SENDING_TIMEOUT_SECONDS: '2',
  SENDING_RETRY_SECONDS: '0.2',
  SENDING_BREAKER_SECONDS: '0.5',
  // Slow enough that there is something left to do after each kill.
  ...Object.fromEntries(['MESSAGING_APP', 'EMAIL'].map((one) => [`SENDING_RATE_${one}`, String(10 + RENEWALS / 20)])),
};

describe.each(['rabbitmq', 'postgres'] as const)('alerts fan out while everything is killed in turn, %s bus', (bus) => {
  let broker: RabbitNode | undefined;
  let brokerAgain: Blow[] = [];
  let system: System;
  let staff: Client;
  /** Renewals of which a message was said to have failed: until it is sent again, the next channel may have gone ahead. */
  const failed = new Set<string>();

  beforeAll(async () => {
    broker = bus === 'rabbitmq' ? await startRabbitNode() : undefined;
    brokerAgain = broker ? [() => (broker as RabbitNode).kill().then(() => broker?.start())] : [];
    system = await startSystem({ bus, env, ...(broker && { amqpUrl: broker.url }) });
    staff = await system.client('staff');
    await inTurns(CUSTOMERS, (n) => introduce(n));
    await inTurns(RENEWALS, (n) => watch(watched[n] as Watched));
  });
  afterAll(async () => {
    await system?.stop();
    await broker?.stop();
  });

  async function introduce(n: number): Promise<void> {
    const [id, phone, email] = [customerOf(n), `+4477007${String(n).padStart(5, '0')}`, `fanout-${n}@example.com`];
    const name = canary();
    await system.simulator.person({ name, phone, email });
    await staff.put(`/ops/customers/${id}`, { name, phones: [phone], emails: [email] });
  }

  async function watch(one: Watched): Promise<void> {
    const wanted = { service_type: one.type, due_date: dateIn(office, one.days) };
    const made = await staff.post(`/ops/customers/${one.customer}/renewals`, wanted);
    one.id = (made.body as Renewal).id;
  }

  test(`${RENEWALS} due renewals, seed ${SEED}: each message, mail and task once, and nothing of those completed in time`, async () => {
    const random = seeded(SEED);
    await system.kill('notifier');
    const last = await lastDue();
    await refreshThrough(random, last);
    await inTurns(RENEWALS, (n) => complete(watched[n] as Watched));
    await planThrough(random, last);
    const more = [refresh(), refresh()];
    await sendThrough(random);
    await Promise.all(more);
    await eventually(() => nothingWaits(system), slowly);

    await settleUncertain();
    await eventually(() => nothingWaits(system), slowly);
    await judgeRuns();
    // What a consumer holds at this moment is in no queue.
    await inTurns(RENEWALS, (n) => eventually(() => judgeRenewal(watched[n] as Watched)));
    await inTurns(CUSTOMERS, (n) => eventually(() => judgeTimeline(customerOf(n))));
    await judgeMessages();
    await eventually(judgeTasks);
  }, 3_600_000);

  /** As a careful scheduler calls it: until there is an answer that says it is done. */
  async function refresh(): Promise<void> {
    const scheduler = await system.client('scheduler');
    await eventually(async () => {
      const { status, body } = await scheduler.post('/ops/renewals/refresh');
      expect({ status, body }).toMatchObject({ status: 200, body: { status: 'COMPLETED' } });
    }, slowly);
  }

  async function complete({ completed, id }: Watched): Promise<void> {
    if (completed) expect((await staff.patch(`/ops/renewals/${id}/complete`)).status).toBe(200);
  }

  /** renewals-service dies while a run has fired some alerts and not all: the last one is held until then. */
  async function refreshThrough(random: Random, last: string): Promise<void> {
    const runs: Promise<void>[] = [];
    await whileHeld(system, { owner: 'renewals', table: 'renewals', row: { id: last } }, async () => {
      runs.push(refresh(), refresh(), refresh());
      await inTheMidst(random, ['renewals-service', 'renewals-service'].map(again), {
        done: fired,
        most: RENEWALS - BATCH,
        ofAll: RENEWALS,
        everyMs: 2,
        standing,
      });
    });
    await Promise.all([...runs, refresh()]);
  }

  /** notifier dies while some alerts are decided and not all, and so does the broker. */
  async function planThrough(random: Random, last: string): Promise<void> {
    await whileHeld(system, { owner: 'notifier', table: 'followed_renewals', row: { renewal_id: last } }, async () => {
      await system.restart('notifier');
      await inTheMidst(random, [again('notifier'), again('notifier'), ...brokerAgain], {
        done: decided,
        most: RENEWALS - DECIDED_AT_ONCE,
        ofAll: RENEWALS,
        everyMs: 2,
        standing,
      });
    });
  }

  /** Everything dies in turn while messages leave. */
  async function sendThrough(random: Random): Promise<void> {
    const others = ['notifier', 'renewals-service', 'webhook-ingest', 'notifier'].map(again);
    await inTheMidst(random, [again('comms-service'), ...brokerAgain, ...others], {
      done: async () => (await sent()).length,
      most: Math.floor(messages * 0.8),
      everyMs: slowly.everyMs,
      standing,
    });
  }

  const again = (name: string) => () => system.kill(name).then(() => system.restart(name));

  /** Of each refresh the alerts it told of, and those of them that are decided; what became of messages; events on their way. */
  async function standing() {
    const notifier = system.database('notifier');
    const counted = (table: string, by: string) => notifier(table).groupBy(by).select(by).count('* AS rows');
    return {
      finished: await notifier('finished_runs').select('run_id', 'alerts'),
      decided: await counted('run_alerts', 'run_id'),
      sends: await counted('sends', 'status'),
      events: await system.eventsWaiting(),
    };
  }

  /** Of the run that is not over. */
  async function fired(): Promise<number> {
    const run = await system.database('renewals')('refresh_runs').where({ status: 'RUNNING' }).first('counts');
    return run?.counts.fired ?? 0;
  }

  async function decided(): Promise<number> {
    const [row] = await system.database('notifier')('alert_actions').countDistinct('renewal_id AS renewals');
    return Number(row?.renewals);
  }

  /** In the order of a refresh, in which notifier hears of them too. */
  async function lastDue(): Promise<string> {
    const due = system.database('renewals')('renewals').whereNotNull('next_alert_on');
    return (await due.orderBy('next_alert_on', 'desc').orderBy('id', 'desc').first('id')).id;
  }

  const sent = () => system.simulator.journal();

  /** What was on the wire when its sender was killed: a person asks the customer, and sends it again if nothing came. */
  async function settleUncertain(): Promise<void> {
    const { data } = await everyPage<Communication>(staff, '/ops/communications/failed?limit=200');
    const journal = await sent();
    for (const { id, status, type, renewal_id, renewal_ids } of data) {
      expect(status).toBe('UNCERTAIN');
      const about = watched.find((one) => one.id === renewal_id) as Watched;
      const came = journal.some((entry) => entry.channel === type && entry.text.includes(about.type));
      await staff.post(`/ops/communications/${id}/resolve`, { outcome: came ? 'sent' : 'failed' });
      if (came) continue;
      for (const renewal of renewal_ids) failed.add(renewal);
      await staff.post(`/ops/communications/${id}/retry`);
    }
    if (process.env.CHAOS_FANOUT) process.stdout.write(`${bus}: uncertain ${data.length}, of ${messages} messages\n`);
  }

  /**
   * Each renewal is named once by the messaging app, by which every alert goes, and at most once by e-mail: what is fired for one
   * customer goes along by the channels of the most urgent.
   */
  async function judgeMessages(): Promise<void> {
    const named = (channel: OutsideType, entry: JournalEntry) =>
      entry.channel === channel ? [...new Set(entry.text.match(/DEMO_\d{6}/g))] : [];
    const journal = await sent();
    const byApp = journal.flatMap((entry) => named('MESSAGING_APP', entry));
    expect(byApp.toSorted()).toEqual(alerted.map(({ type }) => type).toSorted());
    const byMail = journal.flatMap((entry) => named('EMAIL', entry));
    expect(new Set(byMail).size).toBe(byMail.length);
    for (const own of Map.groupBy(alerted, ({ customer }) => customer).values())
      expect([0, own.length]).toContain(own.filter(({ type }) => byMail.includes(type)).length);
  }

  async function judgeTasks(): Promise<void> {
    const { data } = await everyPage<Task>(staff, '/ops/tasks?limit=200');
    const open = data.filter(({ status }) => status === 'OPEN');
    const planned = alerted.filter(({ task }) => task !== null);
    expect(open.map(({ renewal_id, priority }) => `${renewal_id} ${priority}`).toSorted()).toEqual(
      planned.map(({ id, task }) => `${id} ${task}`).toSorted(),
    );
    const closed = data.filter(({ status }) => status !== 'OPEN').map(({ renewal_id }) => renewal_id);
    expect(closed.filter((id) => alerted.some((one) => one.id === id))).toEqual([]);
    expect(new Set(closed).size).toBe(closed.length);
  }

  async function judgeRuns(): Promise<void> {
    const { data } = await everyPage<RefreshRun>(staff, '/ops/renewals/refresh?limit=200');
    expect(data.map(({ status }) => status)).toEqual(data.map(() => 'COMPLETED'));
    expect(data.reduce((sum, { counts }) => sum + counts.fired, 0)).toBe(RENEWALS);
    expect(data.reduce((sum, { counts }) => sum + counts.set_aside, 0)).toBe(0);
  }

  /** Its own page says the same as the world outside. */
  async function judgeRenewal({ id, rung, task, completed }: Watched): Promise<void> {
    const { alerts } = (await staff.get(`/ops/renewals/${id}`)).body as RenewalDetail;
    const fired = alerts.filter(({ state }) => state === 'FIRED');
    expect(fired.map((alert) => alert.rung)).toEqual([rung]);
    const wentAhead = (instead_of: unknown) => instead_of !== null && failed.has(id);
    const messages =
      fired[0]?.outcomes.filter(({ channel, instead_of }) => channel !== 'TASK' && !wentAhead(instead_of)) ?? [];
    const arrived: Record<string, string> = { MESSAGING_APP: 'planned DELIVERED', EMAIL: 'planned SENT' };
    expect(messages.map(({ channel }) => channel)).toContain('MESSAGING_APP');
    expect(messages.map(({ outcome, status }) => (completed ? outcome : `${outcome} ${status}`))).toEqual(
      messages.map(({ channel }) => (completed ? 'cancelled' : arrived[channel])),
    );
    const tasks = fired[0]?.outcomes.filter(({ channel }) => channel === 'TASK');
    expect(tasks).toHaveLength(task === null ? 0 : 1);
  }

  async function judgeTimeline(customer: string): Promise<void> {
    const { data } = await everyPage<{ type: string; data: { renewal_id?: string } }>(
      staff,
      `/ops/customers/${customer}/timeline?limit=200`,
    );
    const lines = data.map((line) => `${line.type} ${line.data.renewal_id}`);
    const own = watched.filter((one) => one.customer === customer);
    expect(lines.toSorted()).toEqual(
      own
        .flatMap(({ id, completed }) => [`RENEWAL_TRIGGERED ${id}`, ...(completed ? [`RENEWAL_COMPLETED ${id}`] : [])])
        .toSorted(),
    );
  }
});

const slowly = { timeoutMs: patienceMs + 200 * RENEWALS, everyMs: RENEWALS > 500 ? 1_000 : 100 };

/** All of them, several at a time. */
async function inTurns(number: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < number; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
