import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { type Addressee, addresseesOf } from '../addressing/addressing-service.ts';
import { getCustomers } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { isOutgoing } from '../records/communication-events.ts';
import { isPlaced } from '../records/record.rules.ts';
import { findRecords } from '../records/record-service.ts';
import { isOfAlert, notWaiting, permission } from './delivery.rules.ts';
import { letLeave } from './delivery-store.ts';

interface Asked {
  id: string;
  attempt: number;
}

export async function askToSend(deps: Deps, db: Db, id: string, attempt: number): Promise<SendPermission> {
  const [answer] = await permissionsFor(deps, db, [{ id, attempt }]);
  if (answer?.status === 'fulfilled') return answer.value;
  throw answer?.reason;
}

/** Null: there is no such communication, or it cannot be said of it now, since somebody is about to change it. */
export async function askToSendSeveral(
  deps: Deps,
  db: Db,
  asked: readonly Asked[],
): Promise<(SendPermission | null)[]> {
  const answers = await permissionsFor(deps, db, asked);
  return answers.map((one) => (one.status === 'fulfilled' ? one.value : null));
}

async function permissionsFor(deps: Deps, db: Db, asked: readonly Asked[]) {
  const ids = asked.map(({ id }) => id.toLowerCase());
  const found = (await findRecords(db, ids)).filter(isPlaced);
  const customers = await getCustomers(
    db,
    found.map(({ customer_id }) => customer_id),
  );
  const addressees = await addresseesOf(db, found.filter(isOutgoing), customers, deps.now());
  const known = new Map(found.map((record) => [record.id, record]));
  return Promise.allSettled(
    asked.map(({ attempt }, n) => {
      const record = known.get(ids[n] ?? '');
      const customer = record && customers.get(record.customer_id);
      if (!record || !customer) return Promise.reject(notFound(`There is no communication ${ids[n]}`));
      return permit(db, record, attempt, { customer, addressee: addressees.get(record.id) ?? nobody });
    }),
  );
}

const nobody: Addressee = { to: null, user_id: null, window_open_until: null };

interface Whom {
  customer: Customer;
  addressee: Addressee;
}

async function permit(db: Db, record: Communication, attempt: number, whom: Whom): Promise<SendPermission> {
  const asked = permission(record, attempt, whom.customer, whom.addressee);
  if (!asked.may_send || isOfAlert(record) || (await letLeave(db, record.id, attempt))) return asked;
  return { ...asked, may_send: false, reason: notWaiting };
}
