import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Renewal, RenewalDetail } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type Random, seeded } from '@ops/test-kit/random';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import { type System, startSystem } from '@ops/test-system/system';
import { type Client, everyPage } from '../chaos/pages.ts';
import { nothingWaits } from '../chaos/quiet.ts';
import { ends, leftOf, wrongActions } from './tables.ts';

const CUSTOMERS = Number(process.env.HISTORIES_CUSTOMERS ?? 200);
const SEED = Number(process.env.HISTORIES_SEED ?? 1);
const NIGHTS = 6;
const WORKERS = 8;

/** Nobody's quiet hours hold. */
const office = zoneWhereItIs(12);
/** Days ahead at which each rung fires. The day stays, so it is the date that comes nearer. */
const nearer = [85, 55, 25, 10, 5, -2];

interface Watched {
  n: number;
  customer: string;
  person: string;
  phone: string;
  email: string;
  /** In every text about it. */
  type: string;
  id: string;
  at: number;
}

const env = {
  OPS_TIME_ZONE: office,
  REFRESH_CRON: 'off',
  REFRESH_BATCH: '10',
  RATE_LIMIT_PER_MINUTE: '1000000',
  SENDING_TIMEOUT_SECONDS: '1',
  SENDING_RETRY_SECONDS: '0.2',
  SENDING_BREAKER_SECONDS: '0.5',
  ...Object.fromEntries(['MESSAGING_APP', 'EMAIL', 'SMS'].map((one) => [`SENDING_RATE_${one}`, '1000'])),
};

const slowly = { timeoutMs: 180_000, everyMs: 200 };

describe.each(['rabbitmq', 'postgres'] as const)('histories of many customers at once, %s bus', (bus) => {
  let system: System;
  let staff: Client;
  let scheduler: Client;
  let random: Random;
  let watched: Watched[];

  beforeAll(async () => {
    system = await startSystem({ bus, env });
    [staff, scheduler] = [await system.client('staff'), await system.client('scheduler')];
    random = seeded(SEED);
    watched = Array.from({ length: CUSTOMERS }, (_, n) => newWatched(n, random));
    await inTurns(watched, watch);
    await system.simulator.faults(faultsFor(watched));
  }, 300_000);
  afterAll(() => system?.stop());

  async function watch(one: Watched): Promise<void> {
    const { customer, phone, email, type } = one;
    const name = canary();
    one.person = (await system.simulator.person({ name, phone, email })).id;
    await staff.put(`/ops/customers/${customer}`, { name, phones: [phone], emails: [email] });
    const due_date = dateIn(office, nearer[one.at]);
    const made = await staff.post(`/ops/customers/${customer}/renewals`, { service_type: type, due_date });
    one.id = (made.body as Renewal).id;
  }

  test(`${CUSTOMERS} histories of ${NIGHTS} nights, seed ${SEED}, while processes die: nobody falls through`, async () => {
    for (let night = 0; night < NIGHTS; night += 1) {
      const held = new Set((await heldNow()).map(({ type }) => type));
      const before = leftOf(await system.simulator.journal());
      await refreshThrough();
      await eventually(() => nothingWaits(system), slowly);
      const after = leftOf(await system.simulator.journal());
      for (const type of held) expect([type, after.get(type)]).toEqual([type, before.get(type)]);
      const acts = watched.map((one) => ({ one, act: drawAct(random) }));
      await inTurns(acts, ({ one, act }) => act(one));
      await eventually(() => nothingWaits(system), slowly);
    }
    await refreshThrough();
    await eventually(settled, slowly);
    await eventually(async () => {
      const found = await ends(system, dateIn(office));
      expect(found.filter(({ end }) => end === 'broken')).toEqual([]);
      expect(await wrongActions(system)).toEqual([]);
    }, slowly);
    const figures = Map.groupBy(await ends(system, dateIn(office)), ({ end }) => end);
    console.log(`${bus}: ${[...figures].map(([end, all]) => `${end} ${all.length}`).join(', ')}`);
    await judgeJournal();
  }, 900_000);

  const heldNow = async () => {
    const held = (await system.database('renewals')('renewals').whereNull('closed_at')) as { id: string }[];
    const details = await Promise.all(
      held.map(async ({ id }) => (await staff.get(`/ops/renewals/${id}`)).body as RenewalDetail),
    );
    return watched.filter(({ id }) => details.some((one) => one.id === id && one.hold !== null));
  };

  /** A careful scheduler, and somebody who kills: two while alerts fire, one while messages leave. */
  async function refreshThrough(): Promise<void> {
    const run = eventually(async () => {
      const { status, body } = await scheduler.post('/ops/renewals/refresh');
      expect({ status, body }).toMatchObject({ status: 200, body: { status: 'COMPLETED' } });
    }, slowly);
    await again(random.pick(['renewals-service', 'notifier']));
    await again(random.pick(['comms-service', 'notifier', 'webhook-ingest']));
    await run;
    await again('notifier');
  }

  const again = (name: string) => system.kill(name).then(() => system.restart(name));

  /** What is done about a renewal on a day, allowed or not. */
  function drawAct({ below }: Random): (one: Watched) => Promise<unknown> {
    const what = below(16);
    const change = (path: string, body?: object) => (one: Watched) =>
      staff.patch(`/ops/renewals/${one.id}${path}`, body);
    if (what === 0) return change('/start');
    if (what === 1) return change('/acknowledge', { until: dateIn(office, 1 + below(20)) });
    if (what < 4) return change('/release');
    if (what === 4) return change('', { reminders: below(2) === 0 ? 'off' : 'on' });
    if (what === 5) return change(below(2) === 0 ? '/complete' : '/cancel', undefined);
    if (what < 8) return (one) => system.simulator.write(one.person, { channel: 'MESSAGING_APP', text: canary() });
    if (what === 8) return async () => undefined;
    return (one) => {
      one.at = Math.min(one.at + 1, nearer.length - 1);
      return change('', { due_date: dateIn(office, nearer[one.at]) })(one);
    };
  }

  /** Nothing moves, and staff have found out what became of all that was on the wire when its sender died. */
  async function settled(): Promise<void> {
    const { data } = await everyPage<Communication>(staff, '/ops/communications/failed?limit=200');
    const uncertain = data.filter(({ status }) => status === 'UNCERTAIN');
    const journal = await system.simulator.journal();
    for (const { id, type, renewal_id } of uncertain) {
      const about = watched.find((one) => one.id === renewal_id) as Watched;
      const came = journal.some((entry) => entry.channel === type && entry.text.includes(about.type));
      await staff.post(`/ops/communications/${id}/resolve`, { outcome: came ? 'sent' : 'failed' });
    }
    expect(uncertain).toEqual([]);
    await nothingWaits(system);
  }

  /** As many as were planned and had left, at most: none came twice. */
  async function judgeJournal(): Promise<void> {
    const left = await system
      .database('notifier')('sends')
      .whereIn('status', ['SENT', 'DELIVERED', 'READ', 'FAILED', 'UNCERTAIN'])
      .select('communication_id', 'attempt');
    expect(new Set(left.map((one) => `${one.communication_id} ${one.attempt}`)).size).toBe(left.length);
    const came = await system.simulator.journal();
    expect(came.length).toBeLessThanOrEqual(left.length);
    expect(came.length).toBeGreaterThan(CUSTOMERS);
  }
});

const newWatched = (n: number, random: Random): Watched => ({
  n,
  customer: `C-history-${n}`,
  person: '',
  phone: `+4477006${String(n).padStart(5, '0')}`,
  email: `history-${n}@example.com`,
  type: `DEMO_${String(n).padStart(6, '0')}`,
  id: '',
  at: random.below(nearer.length - 1),
});

/** Some addresses take nothing: at once, or only afterwards; and what goes well comes twice, late, or in another order. */
function faultsFor(all: readonly Watched[]) {
  const some = (every: number, of: number, code: number, address: 'phone' | 'email') =>
    Object.fromEntries(all.filter(({ n }) => n % every === of).map((one) => [one[address], code]));
  return {
    seed: SEED,
    fail_rate: 0.05,
    hang_rate: 0.01,
    receipt_duplicate_rate: 0.2,
    receipt_reorder_rate: 0.2,
    receipt_early_rate: 0.2,
    refused: { ...some(5, 0, 131026, 'phone'), ...some(10, 0, 550, 'email') },
    undeliverable: { ...some(5, 1, 30003, 'phone'), ...some(10, 1, 550, 'email') },
  };
}

/** All of them, several at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values();
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
