import { isDeepStrictEqual } from 'node:util';
import type { PlainDate } from '@ops/contracts/dates';
import type { AcknowledgeRenewal, Renewal } from '@ops/contracts/resources/renewal';
import type { Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import type { Deps } from '../deps.ts';
import { describedOf } from './customer-agent-store.ts';
import { acknowledgeProblem, answeredUntil, holdOn, isOwed, isSameHold, nextLookOn, released } from './hold.rules.ts';
import * as ledger from './ledger-store.ts';
import { isClosed, refusedWhen, type Step, type StoredRenewal } from './renewal.rules.ts';
import { announce } from './renewal-events.ts';
import { changeBy, show, takeRenewal } from './renewal-service.ts';
import * as store from './renewal-store.ts';
import { nextAlertOn } from './rungs.rules.ts';
import { answeredIn, endedBy } from './sequence.rules.ts';

export interface Acknowledging {
  id: string;
  input: AcknowledgeRenewal;
  by: string;
  ifMatch: string | undefined;
}

/** Somebody looks after it until a day: the customer is not reminded meanwhile. */
export async function acknowledgeRenewal(deps: Deps, trx: Trx, asked: Acknowledging): Promise<Renewal> {
  const stored = await takeRenewal(trx, asked.id);
  return apply(deps, trx, stored, acknowledge(deps, stored, asked), asked.ifMatch);
}

function acknowledge({ now, today }: Deps, stored: StoredRenewal, { input, by }: Acknowledging): Step {
  const { until: acknowledged_until, note: acknowledged_note = null } = input;
  if (isClosed(stored.status)) return refusedWhen(stored.status);
  if (stored.acknowledged_until === acknowledged_until && stored.acknowledged_note === acknowledged_note) return 'same';
  const problem = acknowledgeProblem(acknowledged_until, stored.due_date, today());
  if (stored.status === 'OVERDUE') throw unprocessable([{ path: 'until', message: overdue }], 'overdue', overdue);
  if (problem) throw unprocessable([{ path: 'until', message: problem }]);
  return { change: { acknowledged_until, acknowledged_note, acknowledged_by: by, acknowledged_at: now() } };
}

const overdue = 'The renewal is overdue: it is not put off any more';

/** Whatever holds it ends: the customer is reminded again. */
export async function releaseRenewal(deps: Deps, trx: Trx, id: string, ifMatch: string | undefined): Promise<Renewal> {
  const stored = await takeRenewal(trx, id);
  return apply(deps, trx, stored, release(stored, deps.today()), ifMatch);
}

function release(stored: StoredRenewal, today: PlainDate): Step {
  if (isClosed(stored.status)) return refusedWhen(stored.status);
  return holdOn(stored, today) === null ? 'same' : { change: released(stored) };
}

async function apply(deps: Deps, trx: Trx, stored: StoredRenewal, wanted: Step, ifMatch: string | undefined) {
  const change = changeBy(wanted, stored, ifMatch);
  if (!change) return show(deps, trx, stored);
  const { start_released, acknowledged_until, answered_until } = { ...stored, ...change };
  const held = { ...stored, start_released, acknowledged_until, answered_until };
  const hold = holdOn(held, deps.today());
  const sequence = hold ? endedBy(stored.sequence, hold.because) : stored.sequence;
  const looked = await nextLook(deps, trx, stored, { ...held, sequence });
  const changed = await store.changeRenewal(trx, stored.id, { ...change, ...looked }, deps.now());
  await announce(deps, trx, 'changed', [changed], [stored]);
  return show(deps, trx, changed);
}

/** It is looked at another day where it owes a message, or where nothing follows its alert any more, or again. */
async function nextLook({ today }: Deps, trx: Trx, before: StoredRenewal, after: StoredRenewal) {
  const { sequence, next_alert_on, status, due_date } = after;
  const isAsBefore = !isOwed(after) && isDeepStrictEqual(sequence, before.sequence);
  if (isAsBefore || isClosed(status)) return { sequence, next_alert_on };
  const recorded = await ledger.recordedRungs(trx, after.id, due_date);
  const ladder = nextAlertOn(due_date, recorded, status === 'OVERDUE');
  return { sequence, next_alert_on: nextLookOn(ladder, after, today()) };
}

/** Renewals that are held against other changes from here on, so that what customers answer about them can be counted. */
export const lockAnswered = (trx: Trx, ids: readonly string[]): Promise<StoredRenewal[]> =>
  store.lockRenewals(trx, ids);

/** When a customer last wrote about a renewal; null: not at all. */
export interface LastAnswer {
  /** Whatever was done about it since. */
  writtenOn: PlainDate | null;
  /** What was not ended since by a release or another date. */
  holdingFrom: PlainDate | null;
}

/** A locked renewal's customer wrote about it, or what they wrote was about something else after all. */
export async function holdByAnswer(deps: Deps, trx: Trx, stored: StoredRenewal, answer: LastAnswer): Promise<void> {
  const answered_until = answeredUntil(answer.holdingFrom, stored.due_date);
  const today = deps.today();
  const held = { ...stored, answered_until };
  const hold = holdOn(held, today);
  const sequence = answeredIn(stored.sequence, { writtenOn: answer.writtenOn, holds: hold?.because === 'answered' });
  const answered = { ...held, sequence: hold ? endedBy(sequence, hold.because) : sequence };
  if (answered_until === stored.answered_until && isDeepStrictEqual(answered.sequence, stored.sequence)) return;
  const change = { answered_until, ...(await nextLook(deps, trx, stored, answered)) };
  if (isSameHold(holdOn(stored, today), holdOn(answered, today))) return store.changeUnseen(trx, stored.id, change);
  await announce(deps, trx, 'changed', [await store.changeRenewal(trx, stored.id, change, deps.now())], [stored]);
}

/** Messages of these alerts were kept back. One that fired since has a message of its own. */
export async function keepBack(deps: Deps, trx: Trx, alerts: readonly ledger.AlertKey[]): Promise<void> {
  for (const renewal of await takeNewest(trx, alerts))
    if (!renewal.withheld) await owe(deps, trx, renewal, { withheld: true });
}

/** Messages of these alerts had nobody to go to. Whoever follows the customer came before, or finds the renewal. */
export async function awaitCustomers(deps: Deps, trx: Trx, alerts: readonly ledger.AlertKey[]): Promise<void> {
  const renewals = await takeNewest(trx, alerts);
  const known = await describedOf(
    trx,
    renewals.map(({ customer_id }) => customer_id),
  );
  for (const renewal of renewals)
    if (renewal.known_after_alert === null)
      await owe(deps, trx, renewal, { known_after_alert: known.has(renewal.customer_id) });
}

/** Renewals whose newest alert is one of these, held against other changes. */
async function takeNewest(trx: Trx, alerts: readonly ledger.AlertKey[]): Promise<StoredRenewal[]> {
  if (alerts.length === 0) return [];
  const stored = await store.lockRenewals(trx, [...new Set(alerts.map(({ renewal_id }) => renewal_id))]);
  const last = await ledger.lastFired(
    trx,
    stored.map(({ id }) => id),
  );
  const newest = last.filter((one) => alerts.some((other) => isSame(one, other)));
  return stored.filter(({ id }) => newest.some(({ renewal_id }) => renewal_id === id));
}

type Owed = Partial<Pick<StoredRenewal, 'withheld' | 'known_after_alert'>>;

async function owe(deps: Deps, trx: Trx, renewal: StoredRenewal, owed: Owed): Promise<void> {
  const { next_alert_on } = await nextLook(deps, trx, renewal, { ...renewal, ...owed });
  await store.changeUnseen(trx, renewal.id, { ...owed, next_alert_on });
}

const isSame = (one: ledger.AlertKey, other: ledger.AlertKey): boolean =>
  one.renewal_id === other.renewal_id &&
  one.due_date === other.due_date &&
  one.rung === other.rung &&
  one.step === other.step;
