import type pg from 'pg';
import { type Ask, faultAtEnd, headOf, linkAt, walkOn } from '../auditing/chain.ts';
import { failed, type Line, ok } from './finding.ts';

/** So many of the newest; `npm run audit` looks at all. */
const most = 1_000;

/** Whether the end of the chain over who changed what is as it was written. */
export async function auditLine(client: pg.Client): Promise<Line> {
  const ask: Ask = async (sql) => (await client.query(sql)).rows;
  const { seq } = await headOf(ask);
  // Of a place that is gone the next seal tells.
  const from = (await linkAt(ask, seq - most)) ?? { seq: seq - most, hash: 'none' };
  const { rows, fault } = await walkOn(ask, from, most);
  const found = fault ?? (await faultAtEnd(ask));
  if (found !== undefined) return failed('audit', found, 'docs/runbook.md, AuditChainBroken');
  return ok('audit', rows === 0 ? 'nothing is sealed yet' : `the newest ${rows} rows are as they were written`);
}
