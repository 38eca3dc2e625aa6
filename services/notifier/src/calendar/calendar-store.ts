import type { Calendar, PutCalendar } from '@ops/contracts/resources/calendar';
import { type Db, oneRow, type Trx } from '@ops/service-kit/database';

type Row = Omit<Calendar, 'updated_at'> & { updated_at: Date };

const COLUMNS = 'working_days, hours, country, region, holidays, answer_within_hours, version, updated_at, updated_by';

const toCalendar = (row: Row): Calendar => ({ ...row, updated_at: row.updated_at.toISOString() });

export async function readCalendar(db: Db | Trx): Promise<Calendar> {
  return toCalendar(await oneRow<Row>(db, `SELECT ${COLUMNS} FROM calendar`));
}

export async function lockCalendar(trx: Trx): Promise<Calendar> {
  return toCalendar(await oneRow<Row>(trx, `SELECT ${COLUMNS} FROM calendar FOR UPDATE`));
}

export async function saveCalendar(trx: Trx, calendar: PutCalendar, by: string, at: Date): Promise<Calendar> {
  const { working_days, hours, holidays, ...plain } = calendar;
  const row = await oneRow<Row>(
    trx,
    `UPDATE calendar
     SET working_days = :working_days, hours = :hours, country = :country, region = :region, holidays = :holidays,
         answer_within_hours = :answer_within_hours, version = version + 1, updated_by = :by, updated_at = :at
     RETURNING ${COLUMNS}`,
    {
      ...plain,
      working_days: JSON.stringify(working_days),
      hours: JSON.stringify(hours),
      holidays: JSON.stringify(holidays),
      by,
      at,
    },
  );
  return toCalendar(row);
}
