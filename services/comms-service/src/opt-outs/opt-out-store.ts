import type { OptOut } from '@ops/contracts/resources/customer';
import { type Db, rows, type Trx } from '@ops/service-kit/database';

/** A decision about one address: `id` and `address` together are its key. */
export type ListedOptOut = Omit<OptOut, 'kind' | 'value'> & { address: string };

interface Position {
  at: string;
  key: string;
}

export const keyOfOptOut = ({ id, address }: Pick<ListedOptOut, 'id' | 'address'>): string => `${id} ${address}`;
const KEY = `(o.id::text || ' ' || o.address) COLLATE "C"`;

/** All that was decided about the addresses the customer has now, whoever they belonged to then, and about the customer. */
export async function listOptOuts(
  db: Db | Trx,
  customerId: string,
  after: Position | undefined,
  limit: number,
): Promise<ListedOptOut[]> {
  const before = after ? `WHERE (o.decided_at, ${KEY}) < (CAST(:at AS timestamptz), :key)` : '';
  return rows<ListedOptOut>(
    db,
    `SELECT o.id, o.address, o.channel, o.opted_out, o.source, utc_text(o.decided_at) AS at, o.actor AS by, o.reason,
            o.communication_id
     FROM (
       SELECT w.* FROM opt_outs w
       WHERE w.address IN (SELECT i.kind || ':' || i.value FROM identifiers i WHERE i.customer_id = ANY (ids_of(:customer_id)))
         AND w.address <> ''
       UNION ALL
       SELECT w.* FROM opt_outs w WHERE w.customer_id = :customer_id AND w.address = ''
     ) o ${before}
     ORDER BY o.decided_at DESC, ${KEY} DESC LIMIT :limit`,
    { customer_id: customerId, limit, ...after },
  );
}
