import type { NewEvent } from '@ops/bus/outbox';
import type { EventOf } from '@ops/contracts/events';
import type { Communication, OutsideType } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { type Addressee, addresseesOf, idAddressed } from '../addressing/addressing-service.ts';
import { holdHomes, noCustomer, ofNobodyErased, survivorsAmong } from '../aliases/alias-service.ts';
import { getCustomer, getCustomers } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import {
  communicationChanged,
  communicationQueued,
  isOutgoing,
  type Outgoing,
} from '../records/communication-events.ts';
import type { NewRecord } from '../records/record.rules.ts';
import { plannedRecord } from './communication.rules.ts';
import { insertPlanned, loggedAmong } from './planned-store.ts';
import { threadOf } from './thread.rules.ts';

type Planned = EventOf<'communication.send'>;

/**
 * Planned messages that fell due, each logged once and queued: in a night there are thousands, so all of a batch take each
 * statement together. One for an unknown customer is tried again later.
 */
export async function logPlanned(deps: Deps, trx: Trx, planned: readonly Planned[]): Promise<void> {
  const wanted = await ofNobodyErased(trx, planned);
  const homes = await homesOf(trx, wanted);
  const logged = await loggedAmong(
    trx,
    wanted.map(({ data }) => data.send_id),
  );
  const causes = new Map(wanted.filter(({ data }) => !logged.has(data.send_id)).map((one) => [one.data.send_id, one]));
  if (causes.size === 0) return;
  const now = deps.now();
  const records = [...causes.values()].map(({ data }) => plannedRecord(data, now));
  const inserted = await insertPlanned(trx, await placed(trx, records, homes));
  await announce(deps, trx, now, inserted, causes);
}

/** Nobody merges or erases them until this is written. */
async function homesOf(trx: Trx, planned: readonly Planned[]): Promise<Map<string, string>> {
  const ids = [...new Set(planned.map(({ data }) => data.customer_id))];
  const homes = await holdHomes(trx, ids);
  const unknown = ids.find((id) => !homes.has(id));
  if (unknown !== undefined) throw await noCustomer(trx, unknown);
  return homes;
}

/** Under which id each is written: of somebody whom others were taken to be, under the one that brought the address it goes to. */
async function placed(trx: Trx, records: readonly NewRecord[], homes: ReadonlyMap<string, string>) {
  const survivors = await survivorsAmong(trx, [...new Set(homes.values())]);
  const all: NewRecord[] = [];
  for (const record of records) {
    const home = homes.get(record.customer_id) ?? record.customer_id;
    const isTheirOwn = record.customer_id === home && survivors.has(home);
    all.push(isTheirOwn ? { ...record, customer_id: await idFor(trx, record, home) } : record);
  }
  return all;
}

const idFor = async (trx: Trx, { type, automated, created_at }: NewRecord, home: string): Promise<string> =>
  idAddressed(
    trx,
    { type: type as OutsideType, in_reply_to: null, automated },
    await getCustomer(trx, home),
    created_at,
  );

/** In the order in which they were planned. */
async function announce(
  { outbox }: Deps,
  trx: Trx,
  now: Date,
  inserted: ReadonlyMap<string, Communication>,
  causes: ReadonlyMap<string, Planned>,
): Promise<void> {
  const outgoing = [...inserted.values()].filter(isOutgoing);
  const customers = await getCustomers(
    trx,
    outgoing.map(({ customer_id }) => customer_id),
  );
  const addressees = await addresseesOf(trx, outgoing, customers, now);
  const news = [...causes].flatMap(([id, cause]): NewEvent[] => {
    const record = inserted.get(id);
    const customer = record && customers.get(record.customer_id);
    const addressee = addressees.get(id);
    if (!record || !customer || !addressee || !isOutgoing(record))
      throw new Error(`${id} was not logged as it was planned`);
    return [queued(record, customer, addressee), changed(record)].map((event) => ({ ...event, cause }));
  });
  await outbox.addMany(trx, news);
}

const queued = (record: Outgoing, customer: Parameters<typeof communicationQueued>[1], to: Addressee): NewEvent => ({
  type: 'communication.queued',
  data: communicationQueued(record, customer, to, threadOf(record.type, [])),
});

const changed = (record: Communication): NewEvent => ({
  type: 'communication.changed',
  data: communicationChanged(record, 'created', record.created_at),
});
