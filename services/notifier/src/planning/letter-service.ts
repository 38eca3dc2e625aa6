import type { NewEvent } from '@ops/bus/outbox';
import type { EventOf } from '@ops/contracts/events';
import { holdMerges } from '@ops/following/merge-service';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import type { InTurn } from '@ops/service-kit/turns';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { renewalOf, writtenUnder } from '../followed/followed.rules.ts';
import { lockRenewals } from '../followed/followed-service.ts';
import { actionsAbout, insertActions, saveCarriedOut } from './action-store.ts';
import { type Action, isToWrite, tighterThan, unlessPointless, waitsForLetter } from './alert-actions.rules.ts';
import { alertPlanned, communicationSend } from './alert-events.ts';
import { type Known, readCards, readSettings, triedAgainAt, whenItLeaves, wordsFor } from './carrying-out-service.ts';
import { compose, type Letter } from './letter.rules.ts';
import * as store from './letter-store.ts';

const dayMs = 86_400_000;
const rememberMs = 30 * dayMs;

/** Refreshes that tell of no more alerts. */
export async function finishRuns(
  { now }: Deps,
  trx: Trx,
  finished: readonly EventOf<'refresh.finished'>[],
): Promise<void> {
  await store.noteFinished(
    trx,
    finished.map(({ data }) => data),
    now(),
  );
  await store.forgetRuns(trx, new Date(now().getTime() - rememberMs));
}

/** Whose are to be written is looked up for so many at once: that reads all that waits. */
const lookedUp = 5_000;
/** Of one transaction, unless those of a single customer are more. Nobody else is served meanwhile. */
const messagesAtOnce = 20;
const patienceMs = 15 * 60_000;

/**
 * Writes the letters of refreshes that are over, or of which nothing was heard for a while, and those that take the place of
 * others. One that cannot be written holds up no other.
 */
export async function writeLetters(deps: Deps, db: Db, goesOn = () => true): Promise<{ written: number }> {
  let written = 0;
  for (const portion of portionsOf(await store.groupsToWrite(db, deps.now(), patienceMs, lookedUp))) {
    if (!goesOn()) break;
    await writePortion(deps, db, portion);
    written += portion.length;
  }
  return { written };
}

function portionsOf(waiting: readonly store.Waiting[]): store.Waiting[][] {
  const portions: store.Waiting[][] = [];
  let room = 0;
  for (const group of waiting) {
    if (group.messages > room) {
      portions.push([]);
      room = messagesAtOnce;
    }
    portions.at(-1)?.push(group);
    room -= group.messages;
  }
  return portions;
}

async function writePortion(deps: Deps, db: Db, groups: readonly store.Group[]): Promise<void> {
  const cards = await readCards(
    deps.comms,
    groups.map(({ customer_id }) => customer_id),
  );
  await writeAll(deps, db, groups, cards, deps.inBulk);
}

async function writeAll(
  deps: Deps,
  db: Db,
  groups: readonly store.Group[],
  cards: Known['cards'],
  inTurn: InTurn,
): Promise<void> {
  try {
    await inTurn(() => inTransaction(db, (trx) => writeFor(deps, trx, groups, cards)));
  } catch (error) {
    const [only, ...others] = groups;
    if (!only) return;
    if (others.length > 0) return writeEach(deps, db, groups, cards);
    deps.logger.warn({ err: error, ...only }, 'a letter could not be written and is tried again later');
    await inTransaction(db, (trx) => store.putOffWriting(trx, only, triedAgainAt(error, deps.now())));
  }
}

async function writeEach(deps: Deps, db: Db, groups: readonly store.Group[], cards: Known['cards']): Promise<void> {
  for (const group of groups) await writeAll(deps, db, [group], cards, (work) => work());
}

/** Who else writes them finds these done: the renewals are locked first. What comes meanwhile is for the next turn. */
async function writeFor(deps: Deps, trx: Trx, groups: readonly store.Group[], cards: Known['cards']): Promise<void> {
  // What becomes somebody else's meanwhile is told of with what is theirs, or else has left before.
  await holdMerges(trx);
  const dates = await store.datesOf(trx, groups);
  const renewals = await lockRenewals(
    trx,
    dates.map(({ renewal_id }) => renewal_id),
  );
  const known = { ...(await readSettings(deps, trx)), cards, renewals };
  const decided = await actionsAbout(trx, dates);
  const waiting = [...decided.values()].flat().filter(isToWrite);
  const looked = waiting.map((one) =>
    unlessPointless(one, renewalOf(one, known), tighterThan(one, decided), deps.today()),
  );
  const unsent = looked.filter(({ outcome }) => outcome !== 'planned').map((one) => ({ ...one, carried_out: true }));
  const byGroup = Map.groupBy(looked.filter(waitsForLetter), groupOf);
  const composed = groups.map((group) => compose(byGroup.get(groupOf(group)) ?? [], decided, uuidv7));
  const written = composed.flatMap(({ letters }) => letters).map((letter) => write(deps, letter, known));
  await insertActions(
    trx,
    composed.flatMap(({ added }) => added),
    deps.now(),
  );
  await store.dropActions(
    trx,
    composed.flatMap(({ dropped }) => dropped),
  );
  await saveCarriedOut(trx, [...unsent, ...written.flatMap(({ members }) => members)]);
  await deps.outbox.addMany(trx, [
    ...unsent.map((one) => told(one, alertPlanned(one, null, deps.now()))),
    ...written.flatMap(({ news }) => news),
  ]);
}

const groupOf = ({ customer_id, together }: Pick<Action, 'customer_id' | 'together'>): string =>
  `${together} ${customer_id}`;

interface Written {
  members: Action[];
  news: NewEvent[];
}

function write(deps: Deps, letter: Letter, known: Known): Written {
  const [first] = letter.members;
  const leaves = whenItLeaves(deps, first, known);
  const { send_after, send_after_reason } = leaves;
  const letter_id = uuidv7();
  const members = letter.members.map((one) => ({
    ...one,
    carried_out: true,
    letter_id,
    send_after,
    send_after_reason,
  }));
  const words = wordsFor(letter.members, known, leaves);
  const customer_id = writtenUnder(renewalOf(first, known));
  const now = deps.now();
  const sent = communicationSend(members as unknown as Letter['members'], { ...words, customer_id }, now);
  const planned = members.map((one) => told(one, alertPlanned(one, letter_id, now)));
  return { members, news: [told(first, sent), ...planned] };
}

/** As a step of what the alert is a part of. */
const told = ({ trace }: Action, event: NewEvent): NewEvent => (trace ? { ...event, trace } : event);
