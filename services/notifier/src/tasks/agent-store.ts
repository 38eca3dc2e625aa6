import type { Agent, PutAgent } from '@ops/contracts/resources/task';
import { type Db, firstRow, oneRow, rows, type Trx } from '@ops/service-kit/database';

type Row = Omit<Agent, 'updated_at'> & { updated_at: Date };

const columns = ['id', 'name', 'email', 'absent_until', 'deputy', 'version', 'updated_at'] as const;
const COLUMNS = columns.join(', ');

const toAgent = (row: Row): Agent => ({ ...row, updated_at: row.updated_at.toISOString() });

export async function allAgents(db: Db): Promise<Agent[]> {
  return (
    await db<Row>('agents')
      .orderBy(['name', 'id'])
      .select([...columns])
  ).map(toAgent);
}

/** What these are called. */
export async function namesOf(trx: Trx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await trx<Row>('agents')
    .whereIn('id', [...ids])
    .select('id', 'name');
  return new Map(found.map(({ id, name }) => [id, name]));
}

export async function lockAgent(trx: Trx, id: string): Promise<Agent | undefined> {
  const row = await trx<Row>('agents')
    .where({ id })
    .forUpdate()
    .first([...columns]);
  return row && toAgent(row);
}

export type Described = Required<{ [K in keyof PutAgent]: Exclude<PutAgent[K], undefined> }>;

/** Others are told of it by then. Undefined when it is there already. */
export async function insertAgent(
  trx: Trx,
  id: string,
  agent: Described,
  updated_at: Date,
): Promise<Agent | undefined> {
  const row = await firstRow<Row>(
    trx,
    `INSERT INTO agents (id, name, email, absent_until, deputy, updated_at, told)
     VALUES (:id, :name, :email, :absent_until, :deputy, :updated_at, 1)
     ON CONFLICT (id) DO NOTHING RETURNING ${COLUMNS}`,
    { id, ...agent, updated_at },
  );
  return row && toAgent(row);
}

export async function updateAgent(trx: Trx, id: string, agent: Described, updated_at: Date): Promise<Agent> {
  const row = await oneRow<Row>(
    trx,
    `UPDATE agents SET name = :name, email = :email, absent_until = :absent_until, deputy = :deputy,
            updated_at = :updated_at, version = version + 1, told = version + 1
     WHERE id = :id RETURNING ${COLUMNS}`,
    { id, ...agent, updated_at },
  );
  return toAgent(row);
}

/** Those whose present version nobody was told of; told from now on. */
export async function takeUntold(trx: Trx): Promise<Agent[]> {
  const untold = await rows<Row>(
    trx,
    `UPDATE agents SET told = version
     WHERE id IN (SELECT id FROM agents WHERE told < version ORDER BY id FOR UPDATE) RETURNING ${COLUMNS}`,
    {},
  );
  return untold.map(toAgent);
}
