import { rows, type Trx } from '@ops/service-kit/database';

/** Where these messages are linked as far as is known. */
export async function linkedTo(trx: Trx, communicationIds: readonly string[]): Promise<string[]> {
  const found = await rows<{ renewal_id: string }>(
    trx,
    `SELECT DISTINCT about.renewal_id FROM linked_messages m, unnest(m.renewal_id || m.other_renewal_ids) AS about (renewal_id)
     WHERE m.communication_id = ANY (CAST(:ids AS uuid[])) AND about.renewal_id IS NOT NULL`,
    { ids: communicationIds },
  );
  return found.map(({ renewal_id }) => renewal_id);
}

export interface LastWritten {
  written_at: Date;
  /** Of what was not ended since by a release or another date. */
  holding_from: Date | null;
}

/** When the customer last wrote about each of these. */
export async function lastAnswers(trx: Trx, renewalIds: readonly string[]): Promise<Map<string, LastWritten>> {
  const found = await rows<LastWritten & { id: string }>(
    trx,
    `SELECT r.id, max(m.occurred_at) AS written_at,
       max(m.occurred_at) FILTER (WHERE about.version >= r.answers_from) AS holding_from
     FROM linked_messages m
     CROSS JOIN unnest(m.renewal_id || m.other_renewal_ids, m.renewal_version || m.other_versions) AS about (renewal_id, version)
     JOIN renewals r ON r.id = about.renewal_id
     WHERE (m.renewal_id = ANY (CAST(:ids AS uuid[])) OR m.other_renewal_ids && CAST(:ids AS uuid[]) AND m.other_renewal_ids <> '{}')
       AND r.id = ANY (CAST(:ids AS uuid[])) AND m.direction = 'INBOUND' AND NOT m.automatic
     GROUP BY r.id`,
    { ids: renewalIds },
  );
  return new Map(found.map(({ id, ...written }) => [id, written]));
}
