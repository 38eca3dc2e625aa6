import { redactedBody } from '@ops/bus/dead-letters';
import { messageTypeInText } from '@ops/contracts/events';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import { messageTimes, type RetentionSubject } from '@ops/contracts/resources/retention';
import { execute } from '../database/database.ts';
import type { Overdue, RetentionPlace } from './retention.ts';

/** What is past the earliest of these instants is past all of them; what is past the latest, past one at least. */
const earliest = (instants: readonly string[]): string => byTime(instants).at(0) as string;
export const latest = (instants: readonly string[]): string => byTime(instants).at(-1) as string;

const byTime = (instants: readonly string[]) => instants.toSorted((a, b) => Date.parse(a) - Date.parse(b));

/** The instants before which rows of these subjects are past their time. */
export const instantsOf = ({ before }: RetentionOrder, subjects: readonly RetentionSubject[]): string[] =>
  subjects.map((subject) => before[subject]);

/** A working row may quote a message of any type: it goes at its own time, or already at theirs. */
export const workingRowsBefore = (order: RetentionOrder): string =>
  latest([order.before.SERVICE_ROW, ...Object.values(messageTimes(order))]);

/** A condition: the row of this kind is older than rows of its kind are kept. Each kind has its range of an index. */
export function pastItsTime(kind: string, at: string, times: Record<string, string>): Overdue {
  const each = Object.entries(times);
  const past = each.map((_, n) => `(${kind} = :kind_${n} AND ${at} < CAST(:time_${n} AS timestamptz))`);
  const bindings = each.flatMap(([name, time], n) => [
    [`kind_${n}`, name],
    [`time_${n}`, time],
  ]);
  return { sql: `(${past.join(' OR ')})`, bindings: Object.fromEntries(bindings) };
}

/** A condition: the row is of nobody who is on legal hold. */
export const notHeld = (customer: string, { held }: RetentionOrder): Overdue => ({
  sql: `coalesce(${customer}, '') <> ALL (CAST(:held AS text[]))`,
  bindings: { held },
});

/** Rows without a key of their own are named by where they lie; they are locked, so they do not move. */
export const deleteByPlace =
  (table: string): RetentionPlace['remove'] =>
  async (trx, ids) => {
    await execute(trx, `DELETE FROM ${table} WHERE ctid = ANY (CAST(? AS tid[]))`, [ids]);
  };

const outbox: RetentionPlace = {
  name: 'outbox',
  overdue: (order) => ({
    sql: 'SELECT ctid::text AS id FROM outbox WHERE published_at < CAST(:before AS timestamptz)',
    bindings: { before: workingRowsBefore(order) },
  }),
  remove: deleteByPlace('outbox'),
};

const inbox: RetentionPlace = {
  name: 'inbox',
  overdue: ({ before }) => ({
    sql: 'SELECT ctid::text AS id FROM inbox WHERE received_at < CAST(:before AS timestamptz)',
    bindings: { before: before.SERVICE_ROW },
  }),
  remove: deleteByPlace('inbox'),
};

const idempotencyKeys: RetentionPlace = {
  name: 'idempotency_keys',
  overdue: (order) => ({
    sql: 'SELECT ctid::text AS id FROM idempotency_keys WHERE created_at < CAST(:before AS timestamptz)',
    bindings: { before: workingRowsBefore(order) },
  }),
  remove: deleteByPlace('idempotency_keys'),
};

/**
 * A dead letter is kept as it came and need not be JSON that the database takes, so the type of its message is looked
 * for in its text. One that carries no message has the longest time.
 */
const PAST_ITS_MESSAGES_TIME = `failed_at < coalesce(
  (SELECT before FROM unnest(CAST(:types AS text[]), CAST(:times AS timestamptz[])) kept (type, before)
   WHERE kept.type = substring(body, :type_in_body)),
  CAST(:longest_kept AS timestamptz))`;

function deadLetterTimes(order: RetentionOrder) {
  const times = messageTimes(order);
  const instants = Object.values(times);
  return {
    types: Object.keys(times),
    times: instants,
    type_in_body: messageTypeInText,
    longest_kept: earliest(instants),
  };
}

const replayedDeadLetters: RetentionPlace = {
  name: 'replayed_dead_letters',
  overdue: (order) => ({
    sql: `SELECT ctid::text AS id FROM dead_letters
          WHERE replayed_at IS NOT NULL
            AND (replayed_at < CAST(:service_row AS timestamptz) OR ${PAST_ITS_MESSAGES_TIME})`,
    bindings: { service_row: order.before.SERVICE_ROW, ...deadLetterTimes(order) },
  }),
  remove: deleteByPlace('dead_letters'),
};

/** That nobody dealt with a message stays known; what it said does not. It may say what nothing else does, so a hold is heeded. */
const deadLetters: RetentionPlace = {
  name: 'dead_letters',
  overdue(order) {
    const free = notHeld('subject', order);
    return {
      sql: `SELECT id::text AS id FROM dead_letters
            WHERE replayed_at IS NULL AND body <> :redacted AND ${free.sql} AND ${PAST_ITS_MESSAGES_TIME}`,
      bindings: { redacted: redactedBody, ...free.bindings, ...deadLetterTimes(order) },
    };
  },
  remove: async (trx, ids) => {
    await trx('dead_letters').whereIn('id', ids).update({ body: redactedBody });
  },
};

/**
 * The service may not lock what it may not change. Nobody else removes them, and one that is gone already does no harm. What
 * `remove_audit` would leave, by the database's clock, is not past its time: a run would find it again and again. It counts
 * from the seal, which stays and says of each row that is gone that it might go.
 */
const audit: RetentionPlace = {
  name: 'audit',
  overdue(order) {
    const free = notHeld('audit.customer_id', order);
    return {
      sql: `WITH past AS (
              SELECT id FROM audit JOIN audit_seals s ON s.audit_id = id
              WHERE audit.at < CAST(:before AS timestamptz) AND ${free.sql}
                AND s.at < least(CAST(:before AS timestamptz), now() - interval '2557 days')
            )
            SELECT id::text AS id FROM past`,
      bindings: { before: order.before.AUDIT, ...free.bindings },
    };
  },
  remove: async (trx, ids) => {
    await execute(trx, 'SELECT remove_audit(CAST(? AS uuid[]))', [ids]);
  },
};

/** What every service has, being made of the kit and the bus. */
export const sharedPlaces: readonly RetentionPlace[] = [
  outbox,
  inbox,
  idempotencyKeys,
  replayedDeadLetters,
  deadLetters,
  audit,
];
