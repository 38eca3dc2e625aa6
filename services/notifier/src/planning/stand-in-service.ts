import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { stopBecause } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import { type AlertMessage, actionsAbout, alertsAmong, insertActions, saveCarriedOut } from './action-store.ts';
import {
  type Action,
  isUnsaid,
  keyOf,
  newAction,
  noted,
  notYet,
  replaced,
  tighterThan,
} from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';
import { carryOut, type Known, readCards, readSettings, renewalOf } from './carrying-out-service.ts';
import { type Decision, decideInstead, isMessage, type Message } from './planning.rules.ts';

/** Since the alert was decided the customer has taken this channel away: another may still reach them. */
const reasonsToFallThrough: ReadonlySet<string> = new Set(['opted_out', 'no_recipient', 'do_not_contact']);

interface Refused {
  id: string;
  reason: Failure;
  cause: Envelope;
}

/**
 * What becomes of an alert whose message was refused when it was about to leave, hours after it was planned perhaps:
 * what would have been done had it been known then.
 */
export async function replaceRefused(deps: Deps, trx: Trx, told: readonly Envelope[]): Promise<void> {
  const refused = told.flatMap(refusedIn);
  const alerts = await alertsAmong(
    trx,
    refused.map(({ id }) => id),
  );
  if (alerts.length === 0) return;
  const known = await readKnown(deps, trx, alerts);
  const actions = await actionsAbout(trx, alerts);
  for (const one of refused) await replace(deps, trx, one, actions, known);
}

function refusedIn(cause: Envelope): Refused[] {
  const { status, failure, communication_id: id } = events['delivery.updated'].data.parse(cause.data);
  const fallsThrough = status === 'FAILED' && failure && reasonsToFallThrough.has(failure.code);
  return fallsThrough ? [{ id, reason: failure, cause }] : [];
}

/** comms-service is asked before anything is locked. */
async function readKnown({ comms }: Deps, trx: Trx, alerts: readonly AlertMessage[]): Promise<Known> {
  const cards = await readCards(
    comms,
    alerts.map(({ customer_id }) => customer_id),
  );
  const renewals = await lockRenewals(
    trx,
    alerts.map(({ renewal_id }) => renewal_id),
  );
  return { ...(await readSettings(trx)), cards, renewals };
}

/** Once, however often staff have it sent again. */
async function replace(
  deps: Deps,
  trx: Trx,
  { id, reason, cause }: Refused,
  byAlert: Map<string, Action[]>,
  known: Known,
): Promise<void> {
  const planned = [...byAlert.values()].flat().find((one) => one.id === id);
  if (!planned || !isMessage(planned) || planned.outcome !== 'planned') return;
  const refused = { ...planned, outcome: 'not_sent' as const, reason };
  const before = replaced(byAlert.get(keyOf(refused)) ?? [], [refused]);
  const decisions = decideFor(refused, before, byAlert, known);
  const added = notYet(before, decisions).map((one) => newAction(uuidv7(), one, refused));
  const after = noted(before, decisions);
  await insertActions(trx, added, deps.now());
  const news: NewEvent[] = [alertPlanned(refused, id, deps.now())];
  const done: Action[] = [];
  for (const action of [...added, ...after.filter(isUnsaid)]) {
    const carried = await carryOut(deps, trx, action, known, undefined, cause);
    news.push(...carried.news);
    done.push(carried.done);
  }
  byAlert.set(keyOf(refused), replaced([...after, ...added], done));
  await saveCarriedOut(trx, [refused, ...done]);
  await deps.outbox.addMany(
    trx,
    news.map((event) => ({ ...event, cause })),
  );
}

/** Nothing about a date that is over, or of which a tighter alert has told the customer more. */
function decideFor(
  refused: Action & Message,
  decided: readonly Action[],
  byAlert: ReadonlyMap<string, readonly Action[]>,
  known: Known,
): Decision[] {
  const { plan, cards } = known;
  const renewal = renewalOf(refused, known);
  if (stopBecause(renewal, refused.due_date) || tighterThan(refused, byAlert)) return [];
  const about = { step: plan.steps[refused.rung], fallThrough: plan.fall_through, renewal };
  return decideInstead(refused, decided, { ...about, card: cards?.get(refused.customer_id) });
}
