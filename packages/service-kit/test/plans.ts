import type { Db } from '../src/database/database.ts';

export interface Statement {
  sql: string;
  bindings?: unknown[] | undefined;
}

/** Of a plan, as far as the suites look at it; what was counted is there once it was carried out. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Every statement that this work sends. */
export async function statementsOf(db: Db, work: () => Promise<unknown>): Promise<Statement[]> {
  const heard: Statement[] = [];
  const listen = ({ sql, bindings }: Statement) => void heard.push({ sql, bindings });
  db.on('query', listen);
  await work().finally(() => db.off('query', listen));
  return heard.filter(({ sql }) => /^\s*(select|insert|update|delete|with)\b/i.test(sql));
}

/** How it would be carried out, in a transaction that comes to nothing and has these settings. */
export async function planOf(db: Db, { sql, bindings }: Statement, how: { run?: true; set?: string[] } = {}) {
  const connection = await db.client.acquireConnection();
  try {
    await connection.query(['BEGIN', ...(how.set ?? []).map((setting) => `SET LOCAL ${setting}`)].join('; '));
    const { rows } = await connection.query(`EXPLAIN (${how.run ? 'ANALYZE, ' : ''}FORMAT JSON) ${sql}`, bindings);
    return rows[0]['QUERY PLAN'][0].Plan as PlanNode;
  } finally {
    await connection.query('ROLLBACK');
    await db.client.releaseConnection(connection);
  }
}

/** All parts of the statements that this work sends, as they are carried out once more upon what it left. */
export async function carriedOut(db: Db, work: () => Promise<unknown>): Promise<PlanNode[]> {
  const nodes: PlanNode[] = [];
  for (const statement of await statementsOf(db, work))
    nodes.push(...nodesOf(await planOf(db, statement, { run: true })));
  return nodes;
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** How many rows it looked at, whatever became of them. */
export const lookedAt = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
