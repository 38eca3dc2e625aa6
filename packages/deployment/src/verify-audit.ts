import { type Ask, holds, type Link, verifyChain } from '@ops/service-kit/audit-chain';
import { auditSchemaOf } from '@ops/service-kit/provision';
import pg from 'pg';

/** A schema, and the address of whoever may read its audit. */
export interface Audited {
  schema: string;
  url: string;
}

const usage = `usage: audit verify [SCHEMA:NUMBER:HASH ...]
  what an earlier one printed, each to be looked for in the chain of today`;

/** 0: all is as it was written; 1: it is not; 2: it could not be looked at. */
export const exitAsFound = (verified: Promise<boolean>): Promise<void> =>
  verified.then(
    (whole) => {
      process.exitCode = whole ? 0 : 1;
    },
    (error: Error) => {
      console.error(error.message);
      process.exitCode = 2;
    },
  );

/** Tells of each schema what was found, and answers whether all of it is as it was written. */
export async function verifyAudit(
  [command, ...kept]: readonly string[],
  audited: readonly Audited[],
  tell: (line: string) => void,
): Promise<boolean> {
  const links = kept.map((one) => /^([a-z]+):(\d+):([0-9a-f]{64})$/.exec(one));
  if (command !== 'verify' || links.includes(null)) throw new Error(usage);
  let whole = true;
  for (const { schema, url } of audited) {
    const sought = links.flatMap((one) =>
      one?.[1] === schema ? [{ seq: Number(one[2]), hash: one[3] as string }] : [],
    );
    const { fault, said } = await asking(url, schema, (ask) => verified(ask, schema, sought));
    tell(fault === undefined ? said : `BROKEN ${schema}: ${fault}`);
    whole &&= fault === undefined;
  }
  return whole;
}

async function verified(ask: Ask, schema: string, kept: readonly Link[]) {
  const { at, rows, withoutValues, fault } = await verifyChain(ask);
  const erased = withoutValues > 0 ? `, ${withoutValues} without the values they had` : '';
  const said = `ok ${schema}: ${rows} rows${erased}; ${schema}:${at.seq}:${at.hash}`;
  for (const link of fault === undefined ? kept : [])
    if (!(await holds(ask, link))) return { said, fault: `seal ${link.seq} is not the one that was kept` };
  return { said, fault };
}

async function asking<T>(url: string, schema: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'audit', connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SET search_path = ${pg.escapeIdentifier(auditSchemaOf(schema))}`);
    // A long chain may take its time.
    await client.query('SET statement_timeout = 0');
    return await work(async (sql) => (await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}
