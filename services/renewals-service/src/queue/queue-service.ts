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
import type { OwnersOf } from '@ops/contracts/responsible';
import { ownersToday, responsibleToday } from '@ops/following/agent-service';
import type { Db } from '@ops/service-kit/database';
import { notFound, unprocessable } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { lastContacts, listAlerts, listMessages } from '../alert-outcomes/alert-service.ts';
import { riskOf } from '../at-risk/at-risk-service.ts';
import { listOf, namesOf } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import { nextNight } from '../refresh/nights.rules.ts';
import { nextAlert, type StoredRenewal, shown } from '../renewals/renewal.rules.ts';
import { shownSequence } from '../renewals/sequence.rules.ts';
import { findRenewal } from '../renewals/watch-service.ts';
import { type ForeseeingDeps, whatComes } from './coming-service.ts';
import * as store from './queue-store.ts';
import { summarise } from './summary-store.ts';

export { nextRenewals } from './queue-store.ts';
export { addUpCounts } from './summary-store.ts';

export async function listRenewals(deps: Deps, db: Db, query: RenewalQueueQuery): Promise<RenewalQueue> {
  if (query.rung !== undefined && query.run_id === undefined)
    throw unprocessable([{ path: 'rung', message: 'is for those of one refresh alone, with run_id' }]);
  const owners = await ownersOf(deps, db, query.assigned_agent);
  const [{ as_of, renewals }, responsible] = await Promise.all([
    store.listQueue(db, {
      window: query.window,
      dueFrom: query.due_from,
      dueTo: query.due_to,
      serviceType: query.service_type,
      status: query.status,
      owners,
      customerId: undefined,
      run: query.run_id,
      rung: query.rung,
      number: query.q,
      atRisk: query.at_risk ?? false,
      now: deps.now(),
      today: deps.today(),
      after: positionOf(query.cursor),
      limit: query.limit + 1,
    }),
    responsibleToday(deps, db),
  ]);
  const page = pageOf(renewals, query.limit);
  const [names, contacts, risk] = await Promise.all([
    namesOf(deps, page.data),
    lastContacts(db, page.data.map(idOf)),
    riskOf(deps, db, page.data, responsible),
  ]);
  const first = nextNight(deps.today(), as_of);
  const data = page.data.map((one) => ({
    ...shown(one, responsible, deps.today()),
    customer_name: names.get(one.customer_id) ?? null,
    last_contact: contacts.get(one.id) ?? null,
    next_alert: nextAlert(one, first),
    reasons: risk.get(one.id) ?? [],
  }));
  return { ...page, data, as_of };
}

export async function listCustomerRenewals(
  deps: Deps,
  db: Db,
  customerId: string,
  query: CustomerRenewalsQuery,
): Promise<Page<Renewal>> {
  const owners = await ownersOf(deps, db, query.assigned_agent);
  const listing = {
    window: undefined,
    dueFrom: undefined,
    dueTo: undefined,
    serviceType: undefined,
    owners,
    run: undefined,
    rung: undefined,
    number: undefined,
    atRisk: false,
    status: query.status,
    now: deps.now(),
    today: deps.today(),
    after: positionOf(query.cursor),
    limit: query.limit + 1,
  };
  const renewals = await listOf(
    deps,
    db,
    customerId,
    async (id) => (await store.listQueue(db, { ...listing, customerId: id })).renewals,
  );
  const page = pageOf(renewals, query.limit);
  const responsible = await responsibleToday(deps, db);
  return { ...page, data: page.data.map((one) => shown(one, responsible, deps.today())) };
}

/** A renewal with all that its alerts led to, and what is to come. */
export async function showRenewal(deps: ForeseeingDeps, db: Db, id: string): Promise<RenewalDetail> {
  const stored = await findRenewal(db, id);
  if (!stored) throw notFound(`There is no renewal ${id}`);
  const responsible = await responsibleToday(deps, db);
  const risk = await riskOf(deps, db, [stored], responsible);
  const alerts = await listAlerts(db, id);
  return {
    ...shown(stored, responsible, deps.today()),
    sequence: shownSequence(stored.sequence, alerts),
    alerts,
    to_come: await whatComes(deps, db, stored, alerts),
    messages: await listMessages(db, id),
    reasons: risk.get(id) ?? [],
  };
}

export const summariseRenewals = async (deps: Deps, db: Db, query: RenewalSummaryQuery): Promise<RenewalSummary> =>
  summarise(db, deps.today(), await ownersOf(deps, db, query.assigned_agent));

/** Undefined: everybody's. */
const ownersOf = async (deps: Deps, db: Db, agent: string | undefined): Promise<OwnersOf | undefined> =>
  agent === undefined ? undefined : ownersToday(deps, db, agent);

function positionOf(cursor: string | undefined) {
  const position = decodeCursor(cursor, ['date', 'uuid']);
  return position && { dueDate: position[0], id: position[1] };
}

const pageOf = (renewals: StoredRenewal[], limit: number): Page<StoredRenewal> =>
  toPage(renewals, limit, ({ due_date, id }) => [due_date, id]);

const idOf = ({ id }: StoredRenewal) => id;
