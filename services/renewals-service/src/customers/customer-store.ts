import type { Db } from '@ops/service-kit/database';

/** Open or closed. */
export async function hasRenewals(db: Db, customerId: string): Promise<boolean> {
  return (await db('renewals').where({ customer_id: customerId }).first('id')) !== undefined;
}
