import type { PlainDate } from '@ops/contracts/dates';
import type { Rung } from '@ops/contracts/resources/renewal';
import type { Trx } from '@ops/service-kit/database';

/** Rungs decided on without a refresh: nobody is alerted of them. */
export interface PassedOver {
  renewal_id: string;
  due_date: PlainDate;
  rung: Rung;
  days_until_due: number;
}

/** What was decided on for this date stays as it was. */
export async function passOver(trx: Trx, passed: readonly PassedOver[], now: Date): Promise<void> {
  if (passed.length === 0) return;
  await trx.raw(
    `INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, decided_at)
     SELECT p.renewal_id, p.due_date, p.rung, 'SUPERSEDED', p.days_until_due, :now
     FROM json_to_recordset(CAST(:passed AS json)) AS p (renewal_id uuid, due_date date, rung text, days_until_due integer)
     ON CONFLICT DO NOTHING`,
    { passed: JSON.stringify(passed), now },
  );
}

/** What the ledger holds for that date of the renewal. */
export async function recordedRungs(trx: Trx, renewalId: string, dueDate: PlainDate): Promise<Rung[]> {
  const rows = await trx('alerts').where({ renewal_id: renewalId, due_date: dueDate }).select('rung');
  return rows.map(({ rung }) => rung);
}

export async function firedSince(trx: Trx, renewalId: string, since: string): Promise<boolean> {
  const row = await trx('alerts')
    .where({ renewal_id: renewalId, state: 'FIRED' })
    .andWhere('decided_at', '>=', since)
    .first('rung');
  return row !== undefined;
}
