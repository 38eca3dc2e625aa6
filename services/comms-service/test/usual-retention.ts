import type { Db } from '@ops/service-kit/database';

export const usualDays = {
  MESSAGING_APP: 2557,
  EMAIL: 2557,
  SMS: 2557,
  CALL_LOG: 2557,
  INTERNAL_NOTE: 2557,
  RAW_WEBHOOK_PAYLOAD: 90,
  SERVICE_ROW: 30,
  AUDIT: 2557,
};

/** As after the installation: nothing changed, nothing proposed. */
export async function usualRetention(db: Db): Promise<void> {
  await db('proposals').delete();
  await db('retention_policy').update({ version: 1, keep_days: JSON.stringify(usualDays), updated_by: null });
}
