import type { Page } from '@ops/contracts/pagination';
import type {
  CustomerRenewalsQuery,
  Renewal,
  RenewalQueue,
  RenewalQueueQuery,
  RenewalSummary,
  RenewalSummaryQuery,
} from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { notFound, unprocessable } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { lastContacts } from '../alerts/detail-store.ts';
import { cardsOf, namesOf } from '../customer-names.ts';
import type { Deps } from '../deps.ts';
import * as store from './queue-store.ts';
import { nextAlert, type StoredRenewal, toRenewal } from './renewal.ts';

export async function listRenewals(deps: Deps, db: Db, query: RenewalQueueQuery): Promise<RenewalQueue> {
  if (query.rung !== undefined && query.run_id === undefined)
    throw unprocessable([{ path: 'rung', message: 'is for those of one refresh alone, with run_id' }]);
  const { as_of, renewals } = await store.listQueue(db, {
    ...{ window: query.window, dueFrom: query.due_from, dueTo: query.due_to, serviceType: query.service_type },
    ...{ status: query.status, agent: query.assigned_agent, customerId: undefined },
    ...{ run: query.run_id, rung: query.rung },
    ...{ today: deps.today(), after: positionOf(query.cursor), limit: query.limit + 1 },
  });
  const page = pageOf(renewals, query.limit);
  const [names, contacts] = await Promise.all([namesOf(deps, page.data), lastContacts(db, page.data.map(idOf))]);
  const data = page.data.map((one) => ({
    ...toRenewal(one),
    customer_name: names.get(one.customer_id) ?? null,
    last_contact: contacts.get(one.id) ?? null,
    next_alert: nextAlert(one, deps.today()),
  }));
  return { ...page, data, as_of };
}

export async function listCustomerRenewals(
  deps: Deps,
  db: Db,
  customerId: string,
  query: CustomerRenewalsQuery,
): Promise<Page<Renewal>> {
  const { renewals } = await store.listQueue(db, {
    ...{
      window: undefined,
      dueFrom: undefined,
      dueTo: undefined,
      serviceType: undefined,
      agent: undefined,
      run: undefined,
      rung: undefined,
      status: query.status,
      customerId,
    },
    ...{ today: deps.today(), after: positionOf(query.cursor), limit: query.limit + 1 },
  });
  if (renewals.length === 0) await requireKnown(deps, db, customerId);
  const page = pageOf(renewals, query.limit);
  return { ...page, data: page.data.map(toRenewal) };
}

/** Whoever has nothing here may be nobody at all. While comms-service is away nobody can say, and nothing is all there is. */
export async function requireKnown(deps: Deps, db: Db, customerId: string): Promise<void> {
  if (await store.hasRenewals(db, customerId)) return;
  const cards = await cardsOf(deps, [customerId]);
  if (cards?.length === 0) throw notFound(`There is no customer ${customerId}`);
}

export const summariseRenewals = (deps: Deps, db: Db, query: RenewalSummaryQuery): Promise<RenewalSummary> =>
  store.summarise(db, deps.today(), query.assigned_agent);

function positionOf(cursor: string | undefined) {
  const position = decodeCursor(cursor, ['date', 'uuid']);
  return position && { dueDate: position[0], id: position[1] };
}

const pageOf = (renewals: StoredRenewal[], limit: number): Page<StoredRenewal> =>
  toPage(renewals, limit, ({ due_date, id }) => [due_date, id]);

const idOf = ({ id }: StoredRenewal) => id;
