import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import type { Failure } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import {
  type Action,
  type AlertMessage,
  actionsAbout,
  alertsAmong,
  insertActions,
  keyOf,
  saveCarriedOut,
} from './action-store.ts';
import { addedTo, isUnsaid, tighterThan } from './alert-actions.ts';
import { alertPlanned } from './alert-events.ts';
import { carryOut, type Known, readCards, readSettings, renewalOf } from './carrying-out-service.ts';
import { lockRenewals } from './followed-store.ts';
import { type Decision, decideInstead, isMessage, type Message, stopBecause } from './planning.ts';

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
  const refused = [...byAlert.values()].flat().find((one) => one.id === id);
  if (!refused || !isMessage(refused) || refused.outcome !== 'planned') return;
  Object.assign(refused, { outcome: 'not_sent', reason } satisfies Partial<Action>);
  const before = byAlert.get(keyOf(refused)) ?? [];
  const added = addedTo(before, decideFor(refused, before, byAlert, known), refused);
  byAlert.set(keyOf(refused), [...before, ...added]);
  await insertActions(trx, added, deps.now());
  const news: NewEvent[] = [alertPlanned(refused, id, deps.now())];
  const due = [...added, ...before.filter(isUnsaid)];
  for (const action of due) news.push(...(await carryOut(deps, trx, action, known, undefined, cause)));
  await saveCarriedOut(trx, [refused, ...due]);
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
