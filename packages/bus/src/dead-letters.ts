import { createHash } from 'node:crypto';
import type { Envelope } from '@ops/contracts/envelope';
import type { Page } from '@ops/contracts/pagination';
import type { DeadLetter } from '@ops/contracts/resources/dead-letter';
import { storable } from '@ops/contracts/text';
import type { Knex } from 'knex';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { AlreadyReplayedError, RedactedError } from './errors.ts';
import { eventKey } from './inbox.ts';
import type { Outbox } from './outbox.ts';
import type { IncomingMessage } from './port.ts';
import { execute } from './sql.ts';

export interface DeadLetters {
  /** Newest first. A cursor that is none is a ZodError at `cursor`. */
  list(query: { replayed: boolean; limit: number; cursor?: string | undefined }): Promise<Page<DeadLetter>>;
  /** Gives it to its queue once more, as it was, its tries counted anew. Undefined: no such letter. */
  replay(trx: Knex.Transaction, id: string): Promise<DeadLetter | undefined>;
}

/** Stands where a message was that is past the time it is kept: that it failed stays known. */
export const redactedBody = '{"redacted":true}';

export function createDeadLetters(db: Knex, outbox: Outbox): DeadLetters {
  return {
    async list({ replayed, limit, cursor }) {
      const before = z.object({ cursor: z.uuid().optional() }).parse({ cursor }).cursor;
      const rows = await db<Row>('dead_letters')
        .select(columns)
        .where((where) => (replayed ? where.whereNotNull('replayed_at') : where.whereNull('replayed_at')))
        .modify((query) => before !== undefined && query.where('id', '<', before))
        .orderBy('id', 'desc')
        .limit(limit + 1);
      const data = rows.slice(0, limit).map(toDeadLetter);
      return { data, next_cursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null };
    },

    async replay(trx, id) {
      const [row] = await trx<Row & { body: string }>('dead_letters')
        .where({ id })
        .whereNull('replayed_at')
        .whereNot({ body: redactedBody })
        .update({ replayed_at: trx.fn.now() })
        .returning([...columns, 'body']);
      if (row === undefined) return refuse(trx, id);
      await outbox.replay(trx, row);
      const { body: _, ...letter } = row;
      return toDeadLetter(letter);
    },
  };
}

async function refuse(trx: Knex.Transaction, id: string): Promise<undefined> {
  const known = await trx<Row & { body: string }>('dead_letters').where({ id }).first('body');
  if (known?.body === redactedBody) throw new RedactedError(`what dead letter ${id} said was removed`);
  if (known !== undefined) throw new AlreadyReplayedError(`dead letter ${id} was replayed before`);
}

/**
 * Keeps a message that was given up on, once: further copies of a waiting one only bring its error up to date. What
 * the queue has taken after all (a copy whose acknowledgement was lost) is no dead letter.
 */
export async function keepDeadLetter(
  trx: Knex.Transaction,
  { queue, message, reason }: { queue: string; message: IncomingMessage; reason: string },
): Promise<{ queue: string; event: string; type: string } | undefined> {
  const body = JSON.stringify(message.event ?? null);
  const facts = factsOf(message.event, body);
  const kept = await execute(
    trx,
    `INSERT INTO dead_letters AS letter (id, queue, event_id, event_type, subject, body, attempts, error)
     SELECT CAST(:id AS uuid), :queue, :event_id, :event_type, :subject, :body, CAST(:attempts AS integer), :error
      WHERE NOT EXISTS (SELECT FROM inbox WHERE inbox.queue = :queue AND inbox.event_id = :event_id)
     ON CONFLICT (queue, event_id) WHERE replayed_at IS NULL DO UPDATE
        SET attempts = greatest(letter.attempts, excluded.attempts), error = excluded.error, failed_at = now()`,
    { id: uuid(), queue, ...facts, body, attempts: message.attempt, error: storable(reason.slice(0, 2_000)) },
  );
  return kept > 0 ? { queue, event: facts.event_id, type: facts.event_type } : undefined;
}

/** What can be told of a message that need not even be an event. */
function factsOf(event: unknown, body: string) {
  const given: Partial<Envelope> = typeof event === 'object' && event !== null ? event : {};
  const text = (value: unknown) => (typeof value === 'string' ? storable(value.slice(0, 200)) : '');
  const [id, source] = [text(given.id), text(given.source)];
  return {
    event_id:
      (id && source ? eventKey({ id, source }) : id) || `unreadable:${createHash('sha256').update(body).digest('hex')}`,
    event_type: text(given.type) || 'unreadable',
    subject: text(given.subject),
  };
}

const columns = [
  'id',
  'queue',
  'event_id',
  'event_type',
  'subject',
  'attempts',
  'error',
  'failed_at',
  'replayed_at',
] as const;

type Row = Omit<DeadLetter, 'failed_at' | 'replayed_at'> & { failed_at: Date; replayed_at: Date | null };

const toDeadLetter = ({ failed_at, replayed_at, ...letter }: Row): DeadLetter => ({
  ...letter,
  failed_at: failed_at.toISOString(),
  replayed_at: replayed_at?.toISOString() ?? null,
});
