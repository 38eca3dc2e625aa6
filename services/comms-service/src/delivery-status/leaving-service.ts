import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { type Addressee, addresseesOf } from '../addressing/addressing-service.ts';
import { getCustomers } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { isOutgoing } from '../records/communication-events.ts';
import { isPlaced } from '../records/record.rules.ts';
import { findRecords } from '../records/record-service.ts';
import { isOfAlert, notWaiting, permission } from './delivery.rules.ts';
import { type Attempt, type Held, letLeave } from './delivery-store.ts';

export async function askToSend(deps: Deps, db: Db, id: string, attempt: number): Promise<SendPermission> {
  const [answer] = await permissionsFor(deps, db, [{ id, attempt }], 'waiting');
  if (!answer) throw notFound(`There is no communication ${id}`);
  return answer;
}

/** Null: there is no such communication, or somebody is about to change it. */
export const askToSendSeveral = (deps: Deps, db: Db, asked: readonly Attempt[]): Promise<(SendPermission | null)[]> =>
  permissionsFor(deps, db, asked, 'passing');

async function permissionsFor(
  deps: Deps,
  db: Db,
  asked: readonly Attempt[],
  held: Held,
): Promise<(SendPermission | null)[]> {
  const attempts = asked.map(({ id, attempt }) => ({ id: id.toLowerCase(), attempt }));
  const found = await findRecords(
    db,
    attempts.map(({ id }) => id),
  );
  const placed = new Map(found.filter(isPlaced).map((record) => [record.id, record]));
  const customers = await getCustomers(
    db,
    [...placed.values()].map(({ customer_id }) => customer_id),
  );
  const addressees = await addresseesOf(db, [...placed.values()].filter(isOutgoing), customers, deps.now());
  const questions = attempts.map(({ id, attempt }) => {
    const record = placed.get(id);
    const customer = record && customers.get(record.customer_id);
    return (
      customer && { id, attempt, record, answer: permission(record, attempt, customer, addressees.get(id) ?? nobody) }
    );
  });
  const leaving = questions.flatMap((one) => (one?.answer.may_send && !isOfAlert(one.record) ? [one] : []));
  const left = await letLeave(db, leaving, held);
  return questions.map((one) => {
    if (!one) return null;
    return leaving.includes(one) ? whenLeft(one.answer, left.get(one.id)) : one.answer;
  });
}

/** Undefined: somebody holds it, or it is no longer there. */
function whenLeft(answer: SendPermission, left: boolean | undefined): SendPermission | null {
  if (left === undefined) return null;
  return left ? answer : { ...answer, may_send: false, reason: notWaiting };
}

const nobody: Addressee = { to: null, user_id: null, window_open_until: null };
