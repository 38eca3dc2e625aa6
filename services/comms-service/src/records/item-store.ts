import { type Db, rows } from '@ops/service-kit/database';

/** What providers brought of these customers, messages and changes to them, by the ids of its items; in order, so many at once. */
async function itemsOf(db: Db, customers: readonly string[], after: string, limit: number): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    `SELECT brought.id FROM (
       SELECT c.id FROM communications c
       WHERE c.customer_id = ANY (CAST(:customers AS text[])) AND c.received_at IS NOT NULL AND c.provider IS NOT NULL
       UNION ALL
       SELECT m.id FROM communications c JOIN message_changes m ON m.communication_id = c.id
       WHERE c.customer_id = ANY (CAST(:customers AS text[]))
     ) brought WHERE brought.id > CAST(:after AS uuid) ORDER BY brought.id LIMIT :limit`,
    { customers, after, limit },
  );
  return found.map(({ id }) => id);
}

const beforeAll = '00000000-0000-0000-0000-000000000000';

/** The same, all of it, a portion at a time; the last may be empty. */
export async function* portionsOfItems(
  db: Db,
  customers: readonly string[],
  portion: number,
): AsyncGenerator<string[]> {
  for (let after = beforeAll; ; ) {
    const items = await itemsOf(db, customers, after, portion);
    yield items;
    if (items.length < portion) return;
    after = items.at(-1) ?? after;
  }
}

/** What providers call their messages, those that went to them too. */
export async function externalsOf(db: Db, customers: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    `SELECT DISTINCT provider_message_id AS id FROM communications
     WHERE customer_id = ANY (CAST(:customers AS text[])) AND provider_message_id IS NOT NULL`,
    { customers },
  );
  return found.map(({ id }) => id);
}
