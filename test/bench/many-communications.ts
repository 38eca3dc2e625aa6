import type { Db } from '@ops/service-kit/database';
import { unlimited } from './unlimited.ts';

export interface ManyRecords {
  customer: string;
  records: number;
  /** The newest of those that came in. */
  unread?: number;
}

const fill = ({ customer, records, unread = 0 }: ManyRecords) => `
  INSERT INTO communications (id, customer_id, type, direction, body, unread, status, author, occurred_at, created_at)
  SELECT gen_random_uuid(), '${customer}', (ARRAY['MESSAGING_APP', 'EMAIL', 'SMS'])[1 + n % 3], d.direction,
         repeat('Words that a customer or somebody at the firm wrote. ', 1 + n % 5),
         d.direction = 'INBOUND' AND n <= ${2 * unread},
         CASE d.direction WHEN 'INBOUND' THEN 'RECEIVED' ELSE 'DELIVERED' END, NULL,
         now() - n * interval '37 minutes', now() - n * interval '37 minutes'
  FROM generate_series(1, ${records}) n,
       LATERAL (SELECT (ARRAY['INBOUND', 'OUTBOUND'])[1 + n / 2 % 2] AS direction) d`;

/** Of a log that is written at once, whether it waits for an answer is looked at once, and not for each record. */
export async function fillLogs(comms: Db, logs: readonly ManyRecords[]): Promise<void> {
  await unlimited(comms, async (query) => {
    await query('ALTER TABLE communications DISABLE TRIGGER communications_attend_to_new');
    for (const log of logs) await query(fill(log));
    await query('ALTER TABLE communications ENABLE TRIGGER communications_attend_to_new');
    await query('SELECT attend(id) FROM customers');
    await query('VACUUM ANALYZE communications');
  });
}
