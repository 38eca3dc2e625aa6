import { rows, type Trx } from '@ops/service-kit/database';
import type { AnybodysRecord } from '../records/communication-events.ts';
import { TOLD_COLUMNS } from '../records/record-columns.ts';
import type { MessageChange } from './filed.rules.ts';

export async function insertChanges(trx: Trx, changes: readonly MessageChange[]): Promise<void> {
  if (changes.length > 0)
    await trx('message_changes')
      .insert([...changes])
      .onConflict('id')
      .ignore();
}

/**
 * Finds the records that these changes are of, and the changes that waited for these records. A message is
 * edited or withdrawn by the side that wrote it, and reacted to by either.
 */
export async function attachChanges(
  trx: Trx,
  changes: readonly string[],
  records: readonly string[],
): Promise<string[]> {
  const own = changes.length === 0 ? [] : await attach(trx, 'm.id', changes);
  const waited = records.length === 0 ? [] : await attach(trx, 'c.id', records);
  return [...new Set([...own, ...waited])];
}

async function attach(trx: Trx, side: 'm.id' | 'c.id', ids: readonly string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    trx,
    `UPDATE message_changes m SET communication_id = c.id
     FROM communications c
     WHERE m.communication_id IS NULL AND c.provider_message_id = m.target_external_id AND c.type = m.type
       AND (m.kind = 'reaction' OR c.direction = m.direction) AND ${side} = ANY (CAST(:ids AS uuid[]))
     RETURNING c.id`,
    { ids },
  );
  return found.map(({ id }) => id);
}

/**
 * What all changes of these records add up to: of each sender the newest reaction, and every edit in order. It is the
 * same in whatever order they came. A record whose words were removed takes none.
 */
export async function sumUpChanges(trx: Trx, records: readonly string[]): Promise<AnybodysRecord[]> {
  return rows<AnybodysRecord>(
    trx,
    `UPDATE communications c SET
       reactions = (
         SELECT coalesce(jsonb_agg(jsonb_build_object('emoji', r.content, 'from', r.sender, 'at', utc_text(r.at))
                                   ORDER BY r.at, r.id), '[]')
         FROM (SELECT DISTINCT ON (m.sender) m.* FROM message_changes m
               WHERE m.communication_id = c.id AND m.kind = 'reaction'
               ORDER BY m.sender, m.at DESC, m.id DESC) r
         WHERE r.content IS NOT NULL),
       amendments = (
         SELECT coalesce(jsonb_agg(jsonb_build_object('at', utc_text(m.at), 'body', m.content) ORDER BY m.at, m.id), '[]')
         FROM message_changes m WHERE m.communication_id = c.id AND m.kind <> 'reaction')
     WHERE c.id IN (SELECT l.id FROM communications l
                    WHERE l.id = ANY (CAST(:records AS uuid[])) AND l.redacted_at IS NULL ORDER BY l.id FOR UPDATE)
     RETURNING ${TOLD_COLUMNS}`,
    { records },
  );
}
