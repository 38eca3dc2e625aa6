import { expect } from '@jest/globals';
import { verifyChain } from '@ops/service-kit/audit-chain';
import { eventually } from '@ops/test-kit/eventually';
import type { System } from '@ops/test-system/system';

/** Who changed what is as it was written, in every service, to the last row; `least` of them in all. */
export async function auditIsWhole(system: System, least: number): Promise<void> {
  let rows = 0;
  for (const owner of ['comms', 'renewals', 'ingest', 'notifier'] as const) {
    const db = system.database(owner);
    await eventually(async () => expect(await db('audit').where({ sealed: false }).pluck('id')).toEqual([]));
    const chain = await verifyChain(async (sql) => (await db.raw(sql)).rows);
    expect({ owner, fault: chain.fault }).toEqual({ owner, fault: undefined });
    expect({ owner, rows: chain.rows }).toEqual({
      owner,
      rows: Number((await db('audit').count('* AS n').first())?.n),
    });
    rows += chain.rows;
  }
  expect(rows).toBeGreaterThanOrEqual(least);
}
