import { inTransaction, openDatabase } from '@ops/service-kit/database';
import { addUpCounts } from '../../services/renewals-service/src/queue/queue-service.ts';
import { startWorld, type World } from '../../services/renewals-service/test/world.ts';
import { unlimited } from './unlimited.ts';

/** The day of the night that is measured. */
export const today = '2026-03-02';

/** Those to be alerted lie evenly on the six thresholds; the others wait for a later day. */
export const fill = (total: number, due: number, night = today) => `
  INSERT INTO renewals (id, customer_id, service_type, due_date, anchor_day, status, policy_id, notes, assigned_agent,
                        next_alert_on, created_on, created_at, updated_at)
  SELECT CAST(lpad(to_hex(n), 12, '0') || '7000' || '8' || substr(md5(CAST(n AS text)), 1, 15) AS uuid),
         'C-' || n / 3, (ARRAY['RESIDENCE_PERMIT', 'WORK_PERMIT', 'INSURANCE_POLICY'])[1 + n % 3], d.due_date,
         extract(day FROM d.due_date), CASE WHEN n % 5 = 0 THEN 'IN_PROGRESS' ELSE 'UPCOMING' END,
         CASE WHEN n % 3 = 2 THEN 'P-' || n END, CASE WHEN n % 4 = 0 THEN 'Papers are with the office' END,
         'agent-' || n % 20, CASE WHEN d.days < 91 THEN DATE '${night}' ELSE d.due_date - 90 END,
         DATE '2025-01-01', now(), now()
  FROM generate_series(1, ${total}) n,
       LATERAL (SELECT CASE WHEN n % ${Math.floor(total / due)} = 0 AND n / ${Math.floor(total / due)} <= ${due}
                            THEN (ARRAY[90, 60, 30, 14, 7, -1])[1 + (n / ${Math.floor(total / due)}) % 6]
                            ELSE 91 + abs(hashint4(n)) % 640 END AS days) a,
       LATERAL (SELECT a.days, DATE '${night}' + a.days AS due_date) d`;

/** What earlier nights decided. */
const ledger = `
  INSERT INTO alerts (renewal_id, due_date, rung, state, days_until_due, decided_at)
  SELECT id, due_date, rung, 'FIRED', CAST(rung AS int), now()
  FROM renewals, unnest(ARRAY['90', '60', '30', '14', '7']) rung
  WHERE due_date - DATE '${today}' < CAST(rung AS int)`;

/** So that neither pays for what was written before it. */
export async function checkpoint({ adminUrl }: Pick<World, 'adminUrl'>): Promise<void> {
  const admin = openDatabase(adminUrl, { applicationName: 'bench', max: 1 });
  await admin.raw('CHECKPOINT').finally(() => admin.destroy());
}

/** A firm's renewals, of which so many are to be alerted that night. */
export async function startWorldOf(total: number, due: number): Promise<World> {
  const world = await startWorld();
  try {
    await unlimited(world.db, async (query) => {
      for (const statement of [fill(total, due), ledger]) await query(statement);
      // As the job does within seconds.
      await inTransaction(world.db, addUpCounts);
      await query('VACUUM ANALYZE renewals, alerts, renewal_counts, open_renewal_counts, renewal_count_changes');
    });
    return world;
  } catch (error) {
    await world.close();
    throw error;
  }
}
