import type { NewEvent } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import { instantsOf } from '@ops/contracts/local-time';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { type Followed, heldBecause, renewalOf } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import { noteInTask } from '../tasks/task-service.ts';
import * as store from './action-store.ts';
import {
  type Action,
  decidedAbout,
  isUnsaid,
  type KeptUp,
  keepUp,
  newAction,
  noted,
  notYet,
  replaced,
  waitsForLetter,
} from './alert-actions.rules.ts';
import { alertPlanned } from './alert-events.ts';
import { carryOut, type Known, noteOf, readCards, readSettings, triedAgainAt } from './carrying-out-service.ts';
import { decideEnd, isAwaited, lacksEnd, letterOf, newestOf, saysUnreached } from './ends.rules.ts';
import { type Decision, isMessage, wayOf } from './planning.rules.ts';

/**
 * Does what is to be done about a renewal's newest alert, of the date it has now, by what its messages came to. Others were
 * overtaken, and nothing follows from them. However often it is called, the same is done once.
 */
export async function settle(
  deps: Deps,
  trx: Trx,
  renewal: Followed,
  alerts: KeptUp,
  known: Known,
  cause: Envelope | undefined,
): Promise<void> {
  const alert = newestOf(renewal, alerts);
  const [first] = alert;
  if (!first) return;
  const now = deps.now();
  if (heldBecause(renewal, deps.today())) return lookOnceFree(deps, trx, renewal, alert);
  const { givenUp, decisions } = decideEnd(alert, aboutAlert(first, renewal, known), now);
  await store.saveGivenUp(trx, givenUp, now);
  const givenUpNow = givenUp.map((one) => ({ ...one, given_up_at: now }));
  const said = alert.find(saysUnreached);
  if (said) await sayMore(deps, trx, said, decisions, cause);
  const decided = said ? decisions.filter(isMessage) : decisions;
  const following = { before: replaced(alert, givenUpNow), decided, insteadOf: letterOf(givenUp) };
  await actOn(deps, trx, following, alerts, known, cause);
}

/**
 * Nothing is done about an alert while its renewal is held. Whoever releases it tells of that; a day that ends it tells
 * nobody. A message that is awaited keeps its own time.
 */
async function lookOnceFree(deps: Deps, trx: Trx, { hold }: Followed, alert: readonly Action[]): Promise<void> {
  if (!hold?.until) return;
  const [free] = instantsOf(new Date(hold.until), deps.timeZone);
  const others = alert.filter((one) => !isAwaited(one, deps.now()));
  if (free) await store.markToLookAt(trx, others.slice(0, 1), free);
}

const aboutAlert = (alert: Action, renewal: Followed, { plan, cards }: Known) => ({
  rung: alert.rung,
  ...wayOf(plan, alert),
  renewal,
  card: cards?.get(alert.customer_id),
});

/** A task that said so before is told what was tried since; one that somebody has closed by now is left alone. */
async function sayMore(
  deps: Deps,
  trx: Trx,
  said: Action,
  decisions: readonly Decision[],
  cause: Envelope | undefined,
): Promise<void> {
  const reason = decisions.find(({ channel }) => channel === 'TASK')?.reason;
  if (!said.task_id || !reason || reason.message === said.reason?.message) return;
  await noteInTask(deps, trx, said.task_id, noteOf(said, reason.message), cause);
  await store.saveCarriedOut(trx, [{ ...said, reason }]);
  await deps.outbox.add(trx, { ...alertPlanned({ ...said, reason }, null, deps.now()), cause });
}

/** What is decided of an alert by what its messages came to. What takes the place of a letter is told together again. */
interface Following {
  before: readonly Action[];
  decided: readonly Decision[];
  insteadOf: string | null;
}

async function actOn(
  deps: Deps,
  trx: Trx,
  { before, decided, insteadOf }: Following,
  alerts: KeptUp,
  known: Known,
  cause: Envelope | undefined,
): Promise<void> {
  const [first] = before as [Action, ...Action[]];
  const added = notYet(before, decided).map((one) =>
    newAction(uuidv7(), one, first, isMessage(one) ? insteadOf : null),
  );
  const after = noted(before, decided);
  await store.insertActions(trx, added, deps.now());
  const news: NewEvent[] = [];
  const done: Action[] = [];
  for (const action of [...added, ...after.filter(isUnsaid)].filter((one) => !waitsForLetter(one))) {
    const carried = await carryOut(deps, trx, action, known, undefined, cause);
    news.push(...carried.news.map((event) => ({ ...event, cause })));
    done.push(carried.done);
  }
  keepUp(alerts, first, replaced([...after, ...added], done));
  await store.saveCarriedOut(trx, done);
  await deps.outbox.addMany(trx, news);
}

/**
 * An alert that lost its last way to the customer otherwise than by a failure, or that counts again after its date was put
 * right, is looked at by the next turn of `lookAtAlerts`. The renewals' rows are locked by then. Answers what was decided at the
 * rungs of the alerts that count, whichever step of them is the newest.
 */
export async function markWithoutEnd(deps: Deps, trx: Trx, renewals: readonly Followed[]): Promise<Action[]> {
  const decided = await store.actionsAbout(trx, renewals);
  const alerts = renewals.map((renewal) => newestOf(renewal, decided));
  const lacking = alerts.filter((alert) => lacksEnd(alert, deps.now())).flatMap(([first]) => first ?? []);
  await store.markToLookAt(trx, lacking, deps.now());
  return alerts.flatMap(([newest]) =>
    newest ? decidedAbout(newest, decided).filter(({ rung }) => rung === newest.rung) : [],
  );
}

const portion = 50;

/**
 * Looks at alerts of which nothing was heard in time. Those of one customer together: what takes the place of a letter is
 * decided for all that it named before another is written. One that cannot be brought to its end holds up no other.
 */
export async function lookAtAlerts(deps: Deps, db: Db): Promise<{ looked: number }> {
  const due = await store.renewalsToLookAt(db, deps.now(), portion);
  if (due.length === 0) return { looked: 0 };
  const byCustomer = Map.groupBy(due, ({ customer_id }) => customer_id);
  const cards = await readCards(deps.comms, [...byCustomer.keys()]);
  for (const [customer_id, own] of byCustomer) {
    const ids = own.map(({ renewal_id }) => renewal_id);
    await lookAtAll(deps, db, ids, { customer_id, cards });
  }
  return { looked: due.length };
}

interface Asked {
  customer_id: string;
  cards: Known['cards'];
}

async function lookAtAll(deps: Deps, db: Db, renewalIds: readonly string[], asked: Asked): Promise<void> {
  try {
    await inTransaction(db, (trx) => lookAt(deps, trx, renewalIds, asked));
  } catch (error) {
    const [renewal_id, ...others] = renewalIds as [string, ...string[]];
    if (others.length > 0) {
      for (const one of renewalIds) await lookAtAll(deps, db, [one], asked);
      return;
    }
    deps.logger.warn({ err: error, renewal_id }, 'an alert could not be brought to its end and is tried again later');
    await inTransaction(db, (trx) => putOff(deps, trx, renewal_id, triedAgainAt(error, deps.now())));
  }
}

async function lookAt(deps: Deps, trx: Trx, all: readonly string[], { customer_id, cards }: Asked): Promise<void> {
  // What falls due while they are settled is looked at by the next turn.
  const begun = deps.now();
  const renewals = await lockRenewals(trx, all);
  // So is what turned out meanwhile to be somebody else's, who was not asked for.
  const renewalIds = all.filter((id) => renewals.get(id)?.customer_id === customer_id);
  const known = { ...(await readSettings(deps, trx)), cards, renewals };
  for (const renewal_id of renewalIds) {
    const renewal = renewalOf({ renewal_id }, known);
    await settle(deps, trx, renewal, await store.actionsAbout(trx, [renewal]), known, undefined);
  }
  await store.saveLooked(trx, renewalIds, begun, null);
}

async function putOff(deps: Deps, trx: Trx, renewal_id: string, until: Date): Promise<void> {
  await lockRenewals(trx, [renewal_id]);
  await store.saveLooked(trx, [renewal_id], deps.now(), until);
}
