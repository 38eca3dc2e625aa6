import type { PlainDate } from '@ops/contracts/dates';
import type { ServiceType } from '@ops/contracts/resources/service-type';
import { holdMerges } from '@ops/following/merge-service';
import { type Db, execute, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';
import type { RenewalChange, StoredRenewal } from './renewal.rules.ts';
import { COLUMNS, OWNER } from './renewal-columns.ts';

export async function findRenewals(db: Db | Trx, ids: readonly string[]): Promise<StoredRenewal[]> {
  if (ids.length === 0) return [];
  return rows<StoredRenewal>(
    db,
    `SELECT ${COLUMNS} FROM renewals_seen r WHERE r.id = ANY (CAST(:ids AS uuid[])) ORDER BY r.id`,
    { ids },
  );
}

export const findRenewal = async (db: Db | Trx, id: string): Promise<StoredRenewal | undefined> =>
  (await findRenewals(db, [id]))[0];

/** Holds off others who look for one like it before they make it; answers it as it is, whoever its customer turns out to be. */
export async function lockWatchOf(trx: Trx, id: string): Promise<StoredRenewal | undefined> {
  await holdMerges(trx);
  const known = await findRenewal(trx, id);
  if (known) await lockWatch(trx, known.customer_id, known.service_type);
  return known;
}

/** Two that change the same renewals take turns, whatever order they name them in; then reads what the last one left. */
export async function lockRenewals(trx: Trx, ids: readonly string[]): Promise<StoredRenewal[]> {
  if (ids.length === 0) return [];
  await execute(
    trx,
    'SELECT 1 FROM renewals r WHERE r.id = ANY (CAST(:ids AS uuid[])) ORDER BY r.id FOR NO KEY UPDATE OF r',
    { ids },
  );
  return findRenewals(trx, ids);
}

export const lockRenewal = async (trx: Trx, id: string): Promise<StoredRenewal | undefined> =>
  (await lockRenewals(trx, [id]))[0];

/**
 * Whoever looks for a renewal of this customer and service type before making one holds this: of two at once the second
 * finds what the first made. It is taken before any row, so that the two do not wait for each other.
 */
export const lockWatch = (trx: Trx, customer_id: string, service_type: string): Promise<void> =>
  lockWatches(trx, [{ customer_id, service_type }]);

export const lockWatches = (
  trx: Trx,
  watches: readonly Pick<StoredRenewal, 'customer_id' | 'service_type'>[],
): Promise<void> =>
  lockKeys(
    trx,
    watches.map(({ customer_id, service_type }) => `renewals:${customer_id}:${service_type}`),
  );

/** `customer_id`: the id it is written under; it is whose that is by then. */
export type NewRenewal = Pick<
  StoredRenewal,
  | ('id' | 'customer_id' | 'service_type' | 'due_date' | 'anchor_day' | 'policy_id' | 'notes' | 'assigned_agent')
  | ('reminders' | 'source_kind' | 'source_id' | 'predecessor_id' | 'next_alert_on' | 'silent_through')
>;

/** What two renewals have in common that watch the same. */
export type Watch = Pick<StoredRenewal, 'customer_id' | 'service_type' | 'policy_id' | 'due_date'>;

/** Of all that were made now. */
export interface Made {
  on: PlainDate;
  at: Date;
}

/**
 * One statement however many. Each holds its customer, in the order of ids, as whoever follows several customers does: or the
 * two would wait for each other.
 */
export async function insertRenewals(trx: Trx, renewals: readonly NewRenewal[], { on, at }: Made): Promise<void> {
  await execute(
    trx,
    `INSERT INTO renewals (id, customer_id, service_type, due_date, anchor_day, status, policy_id, notes, assigned_agent,
                           reminders, source_kind, source_id, predecessor_id, next_alert_on,
                           silent_through, created_on, created_at, updated_at)
     SELECT n.id, n.customer_id, n.service_type, n.due_date, n.anchor_day, 'UPCOMING', n.policy_id, n.notes,
            n.assigned_agent, n.reminders, n.source_kind, n.source_id, n.predecessor_id, n.next_alert_on,
            n.silent_through, :on, :at, :at
     FROM json_to_recordset(CAST(:renewals AS json)) AS n (
       id uuid, customer_id text, service_type text, due_date date, anchor_day smallint, policy_id text, notes text,
       assigned_agent text, reminders boolean, source_kind text, source_id text, predecessor_id uuid,
       next_alert_on date, silent_through text)
     ORDER BY leads_to(n.customer_id)`,
    { renewals: JSON.stringify(renewals), on, at },
  );
}

/** As it stands after a change, which is one version further. */
export async function changeRenewal(trx: Trx, id: string, change: RenewalChange, now: Date): Promise<StoredRenewal> {
  await trx('renewals')
    .where({ id })
    .update({ ...change, version: trx.raw<number>('version + 1'), updated_at: now });
  const [changed] = await findRenewals(trx, [id]);
  if (!changed) throw new Error('a locked renewal is gone');
  return changed;
}

/** What only a refresh looks at: nobody hears of it, and no version is made. */
export async function changeUnseen(
  trx: Trx,
  id: string,
  change: Pick<RenewalChange, 'answered_until' | 'withheld' | 'known_after_alert' | 'sequence' | 'next_alert_on'>,
): Promise<void> {
  await trx('renewals').where({ id }).update(change);
}

/** Given to this agent, and not with their customer, among all that is theirs. */
const GIVEN = `${OWNER} = :agent AND r.assigned_agent IS NOT NULL AND r.closed_at IS NULL`;

export async function idsOfAgent(trx: Trx, agent: string, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `SELECT r.id FROM renewals r WHERE ${GIVEN} ORDER BY r.due_date, r.id LIMIT :limit`,
    { agent, limit },
  );
  return found.map(({ id }) => id);
}

export async function countOfAgent(trx: Trx, agent: string): Promise<number> {
  const counted = `SELECT count(*)::int AS count FROM renewals r WHERE ${GIVEN}`;
  return (await oneRow<{ count: number }>(trx, counted, { agent })).count;
}

export async function assignAll(trx: Trx, ids: readonly string[], agent: string | null, now: Date) {
  await execute(
    trx,
    `UPDATE renewals SET assigned_agent = :agent, version = version + 1, updated_at = :now
     WHERE id = ANY (CAST(:ids AS uuid[]))`,
    { ids, agent, now },
  );
  return findRenewals(trx, ids);
}

/**
 * What completing or reopening it may have to do with: itself, the open ones of its customer and service type, what
 * followed it, and what else led there. All at once, so that they are taken in the one order.
 */
export async function lockFamily(trx: Trx, id: string): Promise<void> {
  await execute(
    trx,
    `SELECT 1 FROM renewals own JOIN renewals r ON r.customer_id = own.customer_id AND r.service_type = own.service_type
     WHERE own.id = :id
       AND (r.closed_at IS NULL OR r.id IN (own.id, own.successor_id) OR r.successor_id = own.successor_id)
     ORDER BY r.id FOR NO KEY UPDATE OF r`,
    { id },
  );
}

/**
 * The earliest one of the same customer, service type and policy after it, or the one that is due on the day asked for.
 * Only what is open: a closed one is watched no more, and may itself lead here.
 */
export async function findLater(
  trx: Trx,
  renewal: StoredRenewal,
  asked: PlainDate | undefined,
): Promise<StoredRenewal | undefined> {
  const { customer_id, service_type, policy_id, due_date } = renewal;
  return firstRow<StoredRenewal>(
    trx,
    `SELECT ${COLUMNS} FROM renewals_seen r
     WHERE r.customer_id = :customer_id AND r.service_type = :service_type
       AND r.policy_id IS NOT DISTINCT FROM :policy_id AND r.closed_at IS NULL
       AND r.due_date > :due_date AND r.due_date = coalesce(CAST(:asked AS date), r.due_date)
     ORDER BY r.due_date, r.id LIMIT 1`,
    { customer_id, service_type, policy_id, due_date, asked: asked ?? null },
  );
}

/** Another active one of the same customer, service type, policy and day. */
export async function findTwin(
  trx: Trx,
  { customer_id, service_type, policy_id, due_date }: Watch,
  besides: string | null,
): Promise<string | undefined> {
  const twin = await firstRow<{ id: string }>(
    trx,
    `SELECT r.id FROM renewals r
     WHERE r.customer_id = :customer_id AND r.service_type = :service_type AND r.policy_id = :policy_id
       AND r.due_date = :due_date AND r.closed_at IS NULL AND r.id IS DISTINCT FROM CAST(:besides AS uuid)
     ORDER BY r.id LIMIT 1`,
    { customer_id, service_type, policy_id, due_date, besides },
  );
  return twin?.id;
}

/** The first that leads to it. */
export async function findLeadingTo(trx: Trx, id: string): Promise<string | undefined> {
  return (await trx<StoredRenewal>('renewals').where({ successor_id: id }).orderBy(['closed_at', 'id']).first('id'))
    ?.id;
}

/**
 * To those that lead to it as it was before, it is as untouched after; if completing made it, the last of them to be
 * reopened takes it back.
 */
export async function handOver(trx: Trx, before: StoredRenewal, after: StoredRenewal, made: boolean): Promise<void> {
  await execute(
    trx,
    `UPDATE renewals SET successor_version = :after, successor_made = successor_made OR :made
     WHERE successor_id = :id AND successor_version = :before`,
    { id: before.id, before: before.version, after: after.version, made },
  );
}

export async function monthsOf(db: Db | Trx, serviceType: string): Promise<number | null> {
  const row = await db<ServiceType>('service_types').where({ code: serviceType }).first('renewal_months');
  return row?.renewal_months ?? null;
}
