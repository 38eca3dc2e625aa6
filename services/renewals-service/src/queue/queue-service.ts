import type { Page } from '@ops/contracts/pagination';
import type {
  CustomerRenewalsQuery,
  Renewal,
  RenewalDetail,
  RenewalQueue,
  RenewalQueueQuery,
  RenewalSummary,
  RenewalSummaryQuery,
} from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { notFound, unprocessable } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { lastContacts, listAlerts, listMessages } from '../alerts/alert-service.ts';
import { namesOf, requireKnown } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { nextAlert, type StoredRenewal, toRenewal } from '../renewals/renewal.rules.ts';
import { findRenewal } from '../renewals/watch-service.ts';
import * as store from './queue-store.ts';

export async function listRenewals(deps: Deps, db: Db, query: RenewalQueueQuery): Promise<RenewalQueue> {
  if (query.rung !== undefined && query.run_id === undefined)
    throw unprocessable([{ path: 'rung', message: 'is for those of one refresh alone, with run_id' }]);
  const { as_of, renewals } = await store.listQueue(db, {
    window: query.window,
    dueFrom: query.due_from,
    dueTo: query.due_to,
    serviceType: query.service_type,
    status: query.status,
    agent: query.assigned_agent,
    customerId: undefined,
    run: query.run_id,
    rung: query.rung,
    today: deps.today(),
    after: positionOf(query.cursor),
    limit: query.limit + 1,
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
    window: undefined,
    dueFrom: undefined,
    dueTo: undefined,
    serviceType: undefined,
    agent: undefined,
    run: undefined,
    rung: undefined,
    status: query.status,
    customerId,
    today: deps.today(),
    after: positionOf(query.cursor),
    limit: query.limit + 1,
  });
  if (renewals.length === 0) await requireKnown(deps, db, customerId);
  const page = pageOf(renewals, query.limit);
  return { ...page, data: page.data.map(toRenewal) };
}

/** With all that its alerts led to. */
export async function showRenewal(db: Db, id: string): Promise<RenewalDetail> {
  const stored = await findRenewal(db, id);
  if (!stored) throw notFound(`There is no renewal ${id}`);
  return { ...toRenewal(stored), alerts: await listAlerts(db, id), messages: await listMessages(db, id) };
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
