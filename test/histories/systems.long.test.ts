import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import type { RenewalDetail } from '@ops/contracts/resources/renewal';
import type { JournalEntry } from '@ops/provider-sim/test/simulator';
import { eventually } from '@ops/test-kit/eventually';
import { type Random, seeded } from '@ops/test-kit/random';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import { type System, startSystem } from '@ops/test-system/system';
import { auditIsWhole } from '../chaos/audited.ts';
import { type Client, everyPage } from '../chaos/pages.ts';
import { nothingMoves, nothingWaits } from '../chaos/quiet.ts';
import { ends, leftOf, namedIn, unconfirmedEndings, wrongActions } from './tables.ts';
import { actsOf, type Customer, faultsFor, isLast, newCustomer, type Watched } from './watched.ts';

const CUSTOMERS = Number(process.env.HISTORIES_CUSTOMERS ?? 30);
const SEED = Number(process.env.HISTORIES_SEED ?? 1);
const NIGHTS = 4;
/** The firm does not work on the day that follows these. */
const holidays = [1, 3];
const WORKERS = 8;

/** Nobody's quiet hours hold. */
const office = zoneWhereItIs(12);

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

const slowly = { everyMs: 200 };

describe.each(['rabbitmq', 'postgres'] as const)('histories of many customers at once, %s bus', (bus) => {
  let system: System;
  let staff: Client;
  let admin: Client;
  let scheduler: Client;
  let random: Random;
  let acts: ReturnType<typeof actsOf>;
  let customers: Customer[];
  let watched: Watched[];
  let waited = 0;

  beforeAll(async () => {
    system = await startSystem({ bus, env });
    [staff, admin, scheduler] = [
      await system.client('staff'),
      await system.client('admin'),
      await system.client('scheduler'),
    ];
    random = seeded(SEED);
    acts = actsOf({ system, staff, office });
    customers = Array.from({ length: CUSTOMERS }, (_, n) => newCustomer(n, random));
    watched = customers.flatMap((one) => one.watched);
    await inTurns(customers, acts.introduce);
    await system.simulator.faults(faultsFor(customers, SEED));
  });
  afterAll(() => system?.stop());

  test(`${CUSTOMERS} histories of ${NIGHTS} nights, seed ${SEED}, while processes die: nobody falls through`, async () => {
    for (let night = 0; night < NIGHTS; night += 1) {
      const evening = await nowSilent();
      await setHoliday(holidays.includes(night));
      await refreshThrough();
      await eventually(() => nothingMoves(system), slowly);
      if (holidays.includes(night)) await liveThroughHoliday(evening.journal);
      await eventually(() => nothingWaits(system), slowly);
      await nothingLeftSince(evening);
      await onceEach(evening.journal);
      await aDayPasses();
    }
    await refreshThrough();
    await eventually(settled, slowly);
    await eventually(async () => {
      const found = await ends(system, dateIn(office));
      expect(found.filter(({ end }) => end === 'broken')).toEqual([]);
      expect(await wrongActions(system)).toEqual([]);
      expect(await unconfirmedEndings(system)).toEqual([]);
    }, slowly);
    await judgeJournal();
    await auditIsWhole(system, CUSTOMERS);
    await tellFigures();
  }, 1_200_000);

  async function aDayPasses(): Promise<void> {
    const drawn = customers.map((one) => acts.drawAct(random, one));
    await inTurns(drawn, (act) => act());
    await eventually(() => nothingMoves(system), slowly);
  }

  /** Those that are held or over, of which nothing is to be written, and what was written so far. */
  async function nowSilent() {
    const details = new Map<string, RenewalDetail>();
    await inTurns(watched, async ({ id }) => {
      details.set(id, (await staff.get(`/ops/renewals/${id}`)).body as RenewalDetail);
    });
    const isSilent = ({ id }: Watched) => details.get(id)?.hold !== null || details.get(id)?.closed_at !== null;
    return { silent: watched.filter(isSilent), journal: await system.simulator.journal() };
  }

  async function nothingLeftSince({ silent, journal }: Awaited<ReturnType<typeof nowSilent>>): Promise<void> {
    const since = (await system.simulator.journal()).slice(journal.length).flatMap(namedIn);
    expect(silent.filter(({ type }) => since.includes(type))).toEqual([]);
  }

  /** Of one night each renewal is named in one message a channel. */
  async function onceEach({ length }: readonly JournalEntry[]): Promise<void> {
    const named = leftOf((await system.simulator.journal()).slice(length));
    expect([...named].filter(([, times]) => times > 1)).toEqual([]);
  }

  async function setHoliday(is: boolean): Promise<void> {
    const { body } = await admin.get('/ops/calendar');
    const { version, updated_at, updated_by, ...calendar } = body as Record<string, unknown>;
    const closed = is ? [{ date: dateIn(office), name: 'Demo holiday' }] : [];
    expect((await admin.put('/ops/calendar', { ...calendar, holidays: closed })).status).toBe(200);
  }

  /** Only what a date has passed of leaves; of what waits, nothing that is held or over by the time it may. */
  async function liveThroughHoliday({ length }: readonly JournalEntry[]): Promise<void> {
    const late = watched.filter(isLast).map(({ type }) => type);
    const left = (await system.simulator.journal()).slice(length).map(namedIn);
    expect(left.filter((named) => !named.some((type) => late.includes(type)))).toEqual([]);
    const waiting = () => system.database('notifier')('sends').where({ status: 'QUEUED' });
    waited += (await waiting()).length;
    await aDayPasses();
    const morning = await nowSilent();
    await setHoliday(false);
    await waiting().update({ next_try_at: new Date() });
    await again('notifier');
    await eventually(() => nothingWaits(system), slowly);
    await nothingLeftSince(morning);
  }

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

  /** Nothing moves, and staff have found out what became of all that was on the wire when its sender died. */
  async function settled(): Promise<void> {
    const { data } = await everyPage<Communication>(staff, '/ops/communications/failed?limit=200');
    const uncertain = data.filter(({ status }) => status === 'UNCERTAIN');
    const came = new Set((await system.simulator.journal()).map(({ attempt_id }) => attempt_id));
    for (const { id: communication_id } of uncertain) {
      const attempts = await system.database('notifier')('sends').where({ communication_id }).select('id');
      const outcome = attempts.some(({ id }) => came.has(id)) ? 'sent' : 'failed';
      await staff.post(`/ops/communications/${communication_id}/resolve`, { outcome });
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
    expect(new Set(came.map(({ attempt_id }) => attempt_id)).size).toBe(came.length);
    expect(came.length).toBeLessThanOrEqual(left.length);
    expect(came.length).toBeGreaterThan(CUSTOMERS);
  }

  async function tellFigures(): Promise<void> {
    const figures = Map.groupBy(await ends(system, dateIn(office)), ({ end }) => end);
    const journal = await system.simulator.journal();
    const several = journal.filter((one) => namedIn(one).length > 1).length;
    const upstream = await system.database('renewals')('renewals').where({ cancel_reason: 'upstream' }).select('id');
    // Whether anything waited for a holiday is chance: the nights are few, and what is late does not wait.
    expect([several, upstream.length]).toEqual([several, upstream.length].map((one) => Math.max(1, one)));
    const told = [...figures].map(([end, all]) => `${end} ${all.length}`).join(', ');
    console.log(
      `${bus}: ${watched.length} renewals; ${told}; ${journal.length} messages, ${several} of several, ${waited} waited for a holiday to pass; ${upstream.length} ended upstream`,
    );
  }
});

/** All of them, several at a time. */
async function inTurns<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values();
  const worker = async () => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
}
