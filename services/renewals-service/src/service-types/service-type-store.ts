import type { ServiceType } from '@ops/contracts/resources/service-type';
import { type Db, execute, firstRow, rows, type Trx } from '@ops/service-kit/database';

/** All that is said of one. */
export type Described = Pick<ServiceType, 'label' | 'labels' | 'renewal_months'>;

const COLUMNS = 'code, label, labels, renewal_months, true AS listed, version, utc_text(updated_at) AS updated_at';

/**
 * Those that were described, and those that renewals are of and nobody described. The codes of active renewals are found
 * by stepping from one to the next in `renewals_of_type`, not by reading all renewals.
 */
export async function listServiceTypes(db: Db): Promise<ServiceType[]> {
  return rows<ServiceType>(
    db,
    `WITH RECURSIVE used AS (
       (SELECT service_type FROM renewals WHERE closed_at IS NULL ORDER BY service_type LIMIT 1)
       UNION ALL
       SELECT (SELECT r.service_type FROM renewals r WHERE r.closed_at IS NULL AND r.service_type > u.service_type
               ORDER BY r.service_type LIMIT 1)
       FROM used u WHERE u.service_type IS NOT NULL
     )
     SELECT ${COLUMNS} FROM service_types
     UNION ALL
     SELECT u.service_type, u.service_type, '{}', NULL, false, 0, NULL FROM used u
     WHERE u.service_type IS NOT NULL AND NOT EXISTS (SELECT 1 FROM service_types t WHERE t.code = u.service_type)
     ORDER BY listed DESC, code`,
  );
}

export async function findServiceType(trx: Trx, code: string): Promise<ServiceType | undefined> {
  return firstRow<ServiceType>(trx, `SELECT ${COLUMNS} FROM service_types WHERE code = :code`, { code });
}

export async function lockServiceType(trx: Trx, code: string): Promise<ServiceType | undefined> {
  return firstRow<ServiceType>(trx, `SELECT ${COLUMNS} FROM service_types WHERE code = :code FOR NO KEY UPDATE`, {
    code,
  });
}

/** False when a twin described it first. */
export async function insertServiceType(trx: Trx, code: string, wanted: Described, now: Date): Promise<boolean> {
  const row = { code, ...wanted, labels: JSON.stringify(wanted.labels), updated_at: now };
  return (await trx('service_types').insert(row).onConflict('code').ignore().returning('code')).length > 0;
}

export async function updateServiceType(trx: Trx, code: string, wanted: Described, now: Date): Promise<void> {
  await execute(
    trx,
    `UPDATE service_types SET label = :label, labels = :labels, renewal_months = :renewal_months, version = version + 1,
       updated_at = :now
     WHERE code = :code`,
    { code, ...wanted, labels: JSON.stringify(wanted.labels), now },
  );
}
