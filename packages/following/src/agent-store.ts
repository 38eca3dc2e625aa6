import type { EventData } from '@ops/contracts/events';
import type { AgentPresence } from '@ops/contracts/responsible';
import { type Db, execute, rows, type Trx } from '@ops/service-kit/database';

/** Unless something newer is known. One after the other: a batch may tell of the same agent twice. */
export async function keepAgent(trx: Trx, told: EventData<'agent.changed'>): Promise<void> {
  const { agent_id, name, absent_until, deputy, version } = told;
  await execute(
    trx,
    `INSERT INTO agents AS a (id, name, absent_until, deputy, version)
     VALUES (:agent_id, :name, :absent_until, :deputy, :version)
     ON CONFLICT (id) DO UPDATE
     SET name = excluded.name, absent_until = excluded.absent_until, deputy = excluded.deputy, version = excluded.version
     WHERE a.version < excluded.version`,
    { agent_id, name, absent_until, deputy, version },
  );
}

export const presences = (db: Db | Trx): Promise<AgentPresence[]> =>
  rows<AgentPresence>(db, 'SELECT id, absent_until, deputy FROM agents', {});

export async function knownOf(db: Db | Trx, ids: readonly string[]): Promise<string[]> {
  const known = await rows<{ id: string }>(db, 'SELECT id FROM agents WHERE id = ANY (CAST(:ids AS text[]))', { ids });
  return known.map(({ id }) => id);
}
