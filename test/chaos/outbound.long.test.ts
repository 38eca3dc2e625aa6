import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import { serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { seeded } from '@ops/test-kit/random';
import { type System, startSystem } from '@ops/test-system/system';
import { atRandomMoments, createThrough, type NewRecord } from './creating.ts';
import { type Evidence, figures, isTrue, nothingElse, nothingTwice, type Told } from './outbound-judge.ts';
import { type Client, everyPage } from './pages.ts';
import { nothingWaits } from './quiet.ts';

const MESSAGES = Number(process.env.CHAOS_OUTBOUND ?? 120);
const KILLS = Number(process.env.CHAOS_OUTBOUND_KILLS ?? 3);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const CUSTOMERS = 40;
const WORKERS = 8;

/** Each customer is written to over each channel, since 40 is no multiple of 3. */
const types = ['MESSAGING_APP', 'SMS', 'EMAIL'] as const;
const people = Array.from({ length: CUSTOMERS }, (_, n) => ({
  id: `C-outbound-${n}`,
  phone: `+4477008${String(n).padStart(5, '0')}`,
  email: `outbound-${n}@example.com`,
}));
const bodies = Array.from({ length: MESSAGES }, canary);
const records: NewRecord[] = bodies.map((body, i) => ({
  customer: `C-outbound-${i % CUSTOMERS}`,
  message: { type: types[i % types.length] as (typeof types)[number], direction: 'OUTBOUND', body },
}));

/** Nobody has the first one's addresses any more; the second one's are refused at once. */
const [gone, unknown] = people as [(typeof people)[number], (typeof people)[number]];
const faults = {
  seed: SEED,
  fail_rate: 0.1,
  throttle_rate: 0.05,
  retry_after: 1,
  hang_rate: 0.02,
  cut_rate: 0.02,
  receipt_duplicate_rate: 0.3,
  receipt_reorder_rate: 0.3,
  receipt_early_rate: 0.3,
  read_rate: 0.3,
  undeliverable: { [gone.phone]: 30003, [gone.email]: 550 },
  refused: { [unknown.phone]: 131026, [unknown.email]: 550 },
};

const env = {
  SENDING_TIMEOUT_SECONDS: '1',
  SENDING_RETRY_SECONDS: '0.2',
  SENDING_BREAKER_SECONDS: '0.5',
  ...Object.fromEntries(types.map((type) => [`SENDING_RATE_${type}`, '1000'])),
  RATE_LIMIT_PER_MINUTE: '1000000',
};

describe.each(['rabbitmq', 'postgres'] as const)('messages go out while everything goes wrong, %s bus', (bus) => {
  let system: System;
  let staff: Client;
  const inFlight = new Set<string>();

  beforeAll(async () => {
    system = await startSystem({ bus, env });
    staff = await system.client('staff');
    for (const { id, phone, email } of people) {
      await system.simulator.person({ name: id, phone, email });
      await staff.put(`/ops/customers/${id}`, { name: 'Demo Customer', phones: [phone], emails: [email] });
    }
  });
  afterAll(() => system?.stop());

  test(`${MESSAGES} messages through ${KILLS} kills: none twice, the log is true, what was lost arrives when staff send it again`, async () => {
    await system.simulator.faults(faults);
    const random = seeded(SEED);
    const others = [...serviceNames.filter((name) => name !== 'notifier'), 'gateway'];
    const blows = Array.from({ length: KILLS }, (_, i) =>
      i % 2 === 0 ? () => killWhileSending() : () => killAndRestart(random.pick(others)),
    );
    await createThrough({
      system,
      role: 'staff',
      records,
      workers: WORKERS,
      blows: atRandomMoments(random, MESSAGES, blows),
    });

    const first = await everythingTold();
    expect([...first.values()].map(({ record }) => record.body).toSorted()).toEqual(bodies.toSorted());
    const lost = [...first.values()].filter(({ record }) => isLost(record));
    const listed = await everyPage<Communication>(staff, '/ops/communications/failed?limit=200');
    expect(listed.data.map(({ id }) => id).toSorted()).toEqual(lost.map(({ record }) => record.id).toSorted());

    await system.simulator.faults();
    for (const { record } of lost) await sendAgain(record);
    const second = await everythingTold();
    for (const [id, before] of first) {
      const { record, history } = second.get(id) as Told;
      const known = new Set(before.history.map((entry) => entry.id));
      expect(history.filter((entry) => known.has(entry.id))).toEqual(before.history);
      if (!isLost(before.record)) expect({ record, history }).toEqual(before);
      else expect(record).toMatchObject({ attempt: 2, status: record.type === 'EMAIL' ? 'SENT' : 'DELIVERED' });
    }
  }, 1_800_000);

  const killAndRestart = (name: string) => system.kill(name).then(() => system.restart(name));

  /** What it had on the wire when it died is known exactly once its last transaction has ended. */
  async function killWhileSending(): Promise<void> {
    await system.kill('notifier');
    const database = system.database('notifier');
    // The view shows the whole server, other systems' notifiers too.
    const sessions = () =>
      database('pg_stat_activity').whereRaw(`application_name = 'notifier' AND datname = current_database()`);
    await eventually(async () => expect(await sessions().select('pid')).toEqual([]));
    const onWire: { id: string }[] = await database('sends').whereNotNull('on_wire_at').select('id');
    for (const { id } of onWire) inFlight.add(id);
    await system.restart('notifier');
  }

  /** A staff member who asked the customer, and heard that nothing came. */
  async function sendAgain({ id, status }: Communication): Promise<void> {
    if (status === 'UNCERTAIN') await staff.post(`/ops/communications/${id}/resolve`, { outcome: 'failed' });
    const answer = await staff.post(`/ops/communications/${id}/retry`);
    expect(answer.body).toMatchObject({ status: 'QUEUED', attempt: 2 });
  }

  /** Nothing is on its way any more, and each record says what is true. */
  async function everythingTold(): Promise<Map<string, Told>> {
    await eventually(() => nothingWaits(system), slowly);
    const { journal, requests } = system.simulator;
    const evidence: Evidence = { journal: await journal(), requests: await requests(), inFlight };
    nothingTwice(evidence);
    const told = new Map<string, Told>();
    for (const { id } of people) {
      const known = await eventually(async () => {
        const all = await toldOf(id);
        for (const one of all) isTrue(one, evidence);
        return all;
      });
      for (const one of known) told.set(one.record.id, one);
    }
    nothingElse([...told.values()], evidence);
    if (process.env.CHAOS_OUTBOUND) process.stdout.write(`${bus}: ${figures([...told.values()], evidence)}\n`);
    return told;
  }

  async function toldOf(customer: string): Promise<Told[]> {
    const { data } = await everyPage<Communication>(staff, `/ops/customers/${customer}/communications?limit=200`);
    return Promise.all(
      data.map(async (record) => {
        const history = await everyPage<HistoryEntry>(staff, `/ops/communications/${record.id}/history?limit=200`);
        return { record, history: history.data };
      }),
    );
  }
});

const slowly = { timeoutMs: 300_000, everyMs: 250 };
const isLost = ({ status }: Communication) => status === 'FAILED' || status === 'UNCERTAIN';
