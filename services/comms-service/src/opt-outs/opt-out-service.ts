import type { Page } from '@ops/contracts/pagination';
import type { Customer, OptOut, SetOptOut } from '@ops/contracts/resources/customer';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import type { CountryCode } from 'libphonenumber-js';
import { v7 as uuidv7 } from 'uuid';
import { holdHome, requireHome } from '../aliases/alias-service.ts';
import { announceCustomers } from '../customers/customer-news-service.ts';
import { auditCustomer, getCustomer, lockCustomer } from '../customers/customer-service.ts';
import { type Read, readEmail, readPhone } from '../customers/identifier.rules.ts';
import type { Deps } from '../deps.ts';
import { heedOptOuts, lockKeys } from '../filing/filing-service.ts';
import { keyOf, type SenderIdentifier } from '../filing/matching.rules.ts';
import { goesTo, identifierIn, rowsOf } from '../filing/opt-out.rules.ts';
import * as store from './opt-out-store.ts';

/** What staff heard elsewhere, on the phone for instance. Said again it changes nothing. */
export async function setOptOut(deps: Deps, trx: Trx, asked: string, wish: SetOptOut, actor: Actor): Promise<Customer> {
  const { kind, channel, opted_out, reason } = wish;
  if (!goesTo(kind, channel)) throw unprocessable([{ path: 'channel', message: `does not go to a ${spoken[kind]}` }]);
  const identifier = readIdentifier(wish, deps.phoneRegion);
  await lockKeys(trx, [keyOf(identifier)]);
  const id = await holdHome(trx, asked);
  await lockCustomer(trx, id);
  const customer = await getCustomer(trx, id);
  const own = customer.identifiers.find((one) => one.kind === kind && keyOf(one) === keyOf(identifier));
  if (!own) throw unprocessable([{ path: 'value', message: 'is no address of this customer' }]);
  const standing = own.opted_out[channel];
  if ((standing !== undefined) === opted_out) return customer;
  const about = { id: uuidv7(), communication_id: null, customer_id: asked, channel, opted_out };
  const [newest] = await store.listOptOuts(trx, id, undefined, 1);
  const decided_at = newerThan(newest?.at, deps.now());
  const rows = rowsOf({ ...about, source: 'staff', decided_at, actor: actor.sub, reason }, [identifier]);
  await announceCustomers(deps, trx, await heedOptOuts(trx, rows));
  const changed = await getCustomer(trx, id);
  await auditCustomer(trx, customer, changed);
  return changed;
}

const spoken = { phone: 'phone', email: 'mail address', user_id: 'user id' };

function readIdentifier({ kind, value }: SetOptOut, region: CountryCode | undefined): SenderIdentifier {
  const read: Read = kind === 'phone' ? readPhone(value, region) : kind === 'email' ? readEmail(value) : { value };
  if ('problem' in read) throw unprocessable([{ path: 'value', message: read.problem }]);
  return { kind, value: read.value };
}

/** Of what was decided the newest counts, and the clock of whoever wrote may be ahead of ours. */
const newerThan = (at: string | undefined, now: Date): string =>
  new Date(Math.max(now.getTime(), at === undefined ? 0 : Date.parse(at) + 1)).toISOString();

export async function listOptOuts(
  db: Db,
  id: string,
  query: { limit: number; cursor?: string | undefined },
): Promise<Page<OptOut>> {
  const position = decodeCursor(query.cursor, ['instant', 'string']);
  const home = await requireHome(db, id);
  const after = position && { at: position[0], key: position[1] };
  const listed = await store.listOptOuts(db, home, after, query.limit + 1);
  const page = toPage(listed, query.limit, (one) => [one.at, store.keyOfOptOut(one)]);
  return { ...page, data: page.data.map(shown) };
}

function shown({ address, ...decision }: store.ListedOptOut): OptOut {
  const { kind = null, value = null } = identifierIn(address) ?? {};
  return { ...decision, kind, value };
}
