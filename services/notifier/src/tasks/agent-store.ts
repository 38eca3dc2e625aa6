import type { Agent, PutAgent } from '@ops/contracts/resources/task';
import type { Db, Trx } from '@ops/service-kit/database';

type Row = Omit<Agent, 'updated_at'> & { updated_at: Date };

const toAgent = (row: Row): Agent => ({ ...row, updated_at: row.updated_at.toISOString() });

export async function allAgents(db: Db): Promise<Agent[]> {
  return (await db('agents').orderBy(['name', 'id'])).map(toAgent);
}

/** Of those named, who is away on that day. Whom nobody described is there. */
export async function absentOn(trx: Trx, day: string, agents: readonly string[]): Promise<Set<string>> {
  const rows = await trx('agents')
    .whereIn('id', [...agents])
    .where('absent_until', '>=', day)
    .select('id');
  return new Set(rows.map(({ id }) => id));
}

export async function lockAgent(trx: Trx, id: string): Promise<Agent | undefined> {
  const row = await trx('agents').where({ id }).forUpdate().first();
  return row && toAgent(row);
}

type Described = Required<{ [K in keyof PutAgent]: Exclude<PutAgent[K], undefined> }>;

/** Undefined when a twin wrote it first. */
export async function insertAgent(
  trx: Trx,
  id: string,
  agent: Described,
  updated_at: Date,
): Promise<Agent | undefined> {
  const [row] = await trx('agents')
    .insert({ id, ...agent, updated_at })
    .onConflict('id')
    .ignore()
    .returning('*');
  return row && toAgent(row);
}

export async function updateAgent(trx: Trx, id: string, agent: Described, updated_at: Date): Promise<Agent> {
  const changed = { ...agent, updated_at, version: trx.raw('version + 1') };
  const [row] = await trx('agents').where({ id }).update(changed).returning('*');
  return toAgent(row);
}
