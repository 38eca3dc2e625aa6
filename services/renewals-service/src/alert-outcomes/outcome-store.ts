import type { EventData } from '@ops/contracts/events';
import { execute, type Trx } from '@ops/service-kit/database';

/** What the notifier says of one channel of an alert, and the id of the event that says it. */
export type OutcomeStatement = Omit<EventData<'alert.planned'>, 'customer_id'> & { told_id: string };

/**
 * One query however many, in the order of their keys, so that two consumers do not wait for each other. The newest
 * statement stays, in whatever order they come; of one instant that of the later event.
 */
export async function saveOutcomes(trx: Trx, statements: readonly OutcomeStatement[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO alert_outcomes AS o (renewal_id, due_date, rung, step, channel, outcome, instead_of, reason,
                                      communication_id, task_id, send_after, send_after_reason, occurred_at, told_id)
     SELECT DISTINCT ON (w.renewal_id, w.due_date, w.rung, w.step, w.channel)
            w.renewal_id, w.due_date, w.rung, w.step, w.channel, w.outcome, w.instead_of, w.reason, w.communication_id,
            w.task_id, w.send_after, w.send_after_reason, w.occurred_at, w.told_id
     FROM jsonb_to_recordset(CAST(:statements AS jsonb)) AS w (
       renewal_id uuid, due_date date, rung text, step text, channel text, outcome text, instead_of text, reason jsonb,
       communication_id uuid, task_id uuid, send_after timestamptz, send_after_reason jsonb,
       occurred_at timestamptz, told_id text)
     ORDER BY w.renewal_id, w.due_date, w.rung, w.step, w.channel, w.occurred_at DESC, w.told_id COLLATE "C" DESC
     ON CONFLICT (renewal_id, due_date, rung, step, channel) DO UPDATE
        SET outcome = excluded.outcome, instead_of = excluded.instead_of, reason = excluded.reason,
            communication_id = excluded.communication_id, task_id = excluded.task_id, send_after = excluded.send_after,
            send_after_reason = excluded.send_after_reason, occurred_at = excluded.occurred_at, told_id = excluded.told_id
      WHERE (o.occurred_at, o.told_id) < (excluded.occurred_at, excluded.told_id)`,
    { statements: JSON.stringify(statements) },
  );
}
