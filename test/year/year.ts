import { expect } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { eventually } from '@ops/test-kit/eventually';
import { seeded } from '@ops/test-kit/random';
import { type RunningProcess, startProcess } from '../../services/renewals-service/test/processes.ts';
import type { End } from '../histories/promises.ts';
import { wrongActions } from '../histories/tables.ts';
import { clockFrom } from './clock.ts';
import { checkWhose, endsOf, lateMessages, wrongLetters } from './ends.ts';
import { type Firm, openFirm } from './firm.ts';
import { actOnce, arrive, type People } from './people.ts';

export interface YearSettings {
  seed: number;
  nights: number;
  customers: number;
  /** On the first day. */
  renewals: number;
}

const firstDay = '2027-06-01';
/** Of a hundred nights so many. */
const [killed, missed] = [12, 8];
const stops = ['08:00', '13:00', '19:00'];

export interface PastYear {
  nights: number;
  nightsMissed: number;
  /** Refreshes killed on their way, readers of queues before they commit, senders while a message was on the wire. */
  deaths: { refreshes: number; readers: number; senders: number };
  alerts: { fired: number; heldBack: number; afterHolds: number };
  messages: {
    left: number;
    namingSeveral: number;
    writtenAnew: number;
    refused: number;
    failedLater: number;
    uncertain: number;
  };
  tasks: number;
  people: People['did'];
  /** Of each evening the newest alert of each open renewal. */
  evenings: Record<End, number>;
}

interface Year {
  firm: Firm;
  people: People;
  /** To be killed next. */
  doomed: Promise<RunningProcess>;
  missed: number;
  refreshesKilled: number;
  evenings: PastYear['evenings'];
}

/** Night by night and day by day: each evening nobody has fallen through. */
export async function liveYear({ seed, nights, customers, renewals }: YearSettings): Promise<PastYear> {
  const firm = await openFirm(clockFrom(`${firstDay}T12:00:00Z`), seeded(seed));
  const people = await arrive(firm, { customers, renewals });
  const doomed = startDoomed(firm);
  const year: Year = { firm, people, doomed, missed: 0, refreshesKilled: 0, evenings: { ...none } };
  try {
    for (let n = 1; n <= nights; n += 1) {
      const day = addDays(firstDay, n);
      await liveNight(year, day);
      await liveDay(year, day);
      await lookAround(year);
      if (n % 5 === 0) await checkWhose(firm);
    }
    return { nights, ...(await figuresOf(year)) };
  } finally {
    await (await year.doomed).kill();
    await firm.close();
  }
}

async function liveNight(year: Year, day: string): Promise<void> {
  const { firm } = year;
  const { clock, random } = firm;
  clock.to(new Date(`${day}T02:00:00Z`));
  const chance = random.below(100);
  firm.isDeadly = chance < killed;
  if (firm.isDeadly) await killRefresh(year);
  const isMissed = chance >= killed && chance < killed + missed;
  // What is not gone on with the same night is abandoned by the next one.
  const goesOn = firm.isDeadly ? random.below(2) === 0 : !isMissed;
  if (isMissed) year.missed += 1;
  if (goesOn) await firm.refresh();
  await firm.work();
}

const none = { 'none due': 0, task: 0, reached: 0, 'under way': 0, held: 0, silent: 0, broken: 0 };

async function liveDay({ firm, people }: Year, day: string): Promise<void> {
  for (const stop of stops) {
    firm.clock.to(new Date(`${day}T${stop}:00Z`));
    if (firm.random.below(6) > 0) await actOnce(people);
    await firm.work();
  }
}

async function lookAround({ firm, evenings }: Year): Promise<void> {
  const found = await endsOf(firm);
  for (const { end } of found) evenings[end] += 1;
  const today = firm.clock.today();
  expect([today, found.filter(({ end }) => end === 'broken')]).toEqual([today, []]);
  expect([today, await wrongActions(firm)]).toEqual([today, []]);
  const { sent } = firm.outside;
  expect([today, sent.filter(({ isHeld, isOver, isUntimely }) => isHeld || isOver || isUntimely)]).toEqual([today, []]);
  expect([today, await wrongLetters(firm)]).toEqual([today, []]);
  expect([today, await lateMessages(firm)]).toEqual([today, []]);
  expect(new Set(sent.map(({ record }) => record)).size).toBe(sent.length);
}

const startDoomed = ({ renewals }: Firm): Promise<RunningProcess> =>
  startProcess({ databaseUrl: renewals.url, batch: 5 });

/** A process of its own, killed before a statement of its refresh that is drawn. */
async function killRefresh(year: Year): Promise<void> {
  const { clock, random, renewals } = year.firm;
  const one = await year.doomed;
  const run = await one.night(clock.today(), random.below(24));
  if (!run) year.refreshesKilled += 1;
  await one.kill();
  year.doomed = startDoomed(year.firm);
  const left = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'refresh' AND xact_start IS NOT NULL`;
  await eventually(async () => expect((await renewals.db.raw(left)).rows).toEqual([]), { everyMs: 2 });
}

async function figuresOf({ firm, people, missed, refreshesKilled, evenings }: Year): Promise<Omit<PastYear, 'nights'>> {
  const { renewals, notifier, outside, courier } = firm;
  const steps: string[] = await renewals.db('alerts').where({ state: 'FIRED' }).pluck('step');
  const first = steps.filter((step) => step === '0').length;
  const held = notifier.db('alert_actions').whereRaw(`reason->>'code' = 'held'`);
  // In the place of one that is not to leave as it is, or that failed.
  const again = await notifier.db.raw(
    `SELECT count(DISTINCT letter_id) AS letters FROM alert_actions
     WHERE letter_id IS NOT NULL AND together IN (SELECT communication_id FROM sends)`,
  );
  const { diedOnTheWire: senders, ...failures } = outside.figures;
  return {
    nightsMissed: missed,
    deaths: { refreshes: refreshesKilled, readers: courier.cut, senders },
    alerts: {
      fired: first,
      heldBack: (await held.distinct('renewal_id', 'due_date', 'rung', 'step')).length,
      afterHolds: steps.length - first,
    },
    messages: {
      left: outside.sent.length,
      namingSeveral: outside.sent.filter(({ named }) => named.length > 1).length,
      writtenAnew: Number(again.rows[0].letters),
      ...failures,
    },
    tasks: (await notifier.db('tasks').pluck('id')).length,
    people: people.did,
    evenings,
  };
}
