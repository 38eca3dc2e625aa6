import { createHash } from 'node:crypto';
import { type Change, sealable } from './changes.ts';

/** Rows of a statement, asked by whoever may read the audit of one schema. */
export type Ask = <Row extends object>(sql: string) => Promise<Row[]>;

/** A place in the chain: the seal of this number has this hash. */
export interface Link {
  seq: number;
  hash: string;
}

export const chainStart: Link = { seq: 0, hash: '' };

/** What was looked at, up to which seal, and the first thing that is not as it was written, in words. */
export interface Walked {
  at: Link;
  rows: number;
  /** Rows that are there and whose values were taken, as an erasure does. */
  withoutValues: number;
  fault: string | undefined;
}

interface Seal extends Link {
  audit_id: string;
  digest: string;
  previous: string;
  at_ms: number;
  looked_ms: number | null;
  /** Its row may be gone. */
  over: boolean;
  there: boolean;
  found: string;
  backdated: boolean;
  told: string;
  digests: unknown;
  salt: string | null;
  changes: Change[] | null;
}

const MS = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

/** No transaction that writes a row lasts as long. */
const LONGEST_TRANSACTION = "interval '1 hour'";

/** In the words of `audit.sql`, and not by its functions, which whoever owns the database may have exchanged. */
const SEALS = `
  SELECT s.seq::float8 AS seq, s.hash, s.audit_id, s.digest, s.previous, ${MS('s.at')} AS at_ms, ${MS('s.looked_at')} AS looked_ms,
    s.at < now() - interval '2557 days' AS over, a.id IS NOT NULL AS there,
    encode(sha256(convert_to(jsonb_build_array(a.id, floor(extract(epoch FROM a.at) * 1000)::bigint, a.actor, a.role, a.client,
      a.request_id, a.action, a.subject_kind, a.subject_id, a.customer_id, a.digests)::text, 'UTF8')), 'hex') AS found,
    coalesce(a.at < s.looked_at - ${LONGEST_TRANSACTION}, false) AS backdated,
    concat_ws(' ', a.at AT TIME ZONE 'UTC', a.action, 'by', a.actor) AS told, a.digests, v.salt, v.changes
  FROM audit_seals s LEFT JOIN audit a ON a.id = s.audit_id LEFT JOIN audit_values v ON v.audit_id = a.id`;

const mostAtOnce = 1_000;

/** One portion of the chain, from the seal after `from` on. */
export async function walkOn(ask: Ask, from: Link, most = mostAtOnce): Promise<Walked> {
  const walked: Walked = { at: from, rows: 0, withoutValues: 0, fault: undefined };
  for (const seal of await ask<Seal>(`${SEALS} WHERE s.seq > ${from.seq} ORDER BY s.seq LIMIT ${most}`)) {
    const fault = faultOf(seal, walked.at);
    if (fault !== undefined) return { ...walked, fault };
    walked.at = { seq: seal.seq, hash: seal.hash };
    walked.rows += seal.there ? 1 : 0;
    walked.withoutValues += seal.there && seal.salt === null ? 1 : 0;
  }
  return walked;
}

function faultOf(seal: Seal, before: Link): string | undefined {
  const row = `row ${seal.audit_id} (seal ${seal.seq}${seal.there ? `, ${seal.told}` : ''})`;
  if (seal.seq !== before.seq + 1) return `seal ${before.seq + 1} is missing`;
  if (seal.previous !== before.hash || seal.hash !== hashOf(seal)) return `seal ${seal.seq} was changed`;
  if (!seal.there) return seal.over ? undefined : `${row} is missing`;
  if (seal.found !== seal.digest) return `${row} was changed`;
  if (seal.backdated) return `${row} was added later than it says`;
  return hasItsValues(seal) ? undefined : `the values of ${row} were changed`;
}

const hashOf = ({ previous, seq, audit_id, digest, at_ms, looked_ms }: Seal): string =>
  createHash('sha256')
    .update([previous, seq, audit_id, digest, at_ms, looked_ms ?? ''].join('|'))
    .digest('hex');

const hasItsValues = ({ salt, changes, digests }: Seal): boolean =>
  salt === null || JSON.stringify(inOrder(sealable(changes ?? [], salt).digests)) === JSON.stringify(inOrder(digests));

const inOrder = (digests: unknown) =>
  (digests as Record<'field' | 'old' | 'new', string>[]).map((one) => [one.field, one.old, one.new]);

/** Where the chain says that it ends. */
export async function headOf(ask: Ask): Promise<Link> {
  const [head] = await ask<Link>('SELECT seq::float8 AS seq, hash FROM audit_head');
  return head ?? chainStart;
}

/** The place of this number, if the chain has one. */
export async function linkAt(ask: Ask, seq: number): Promise<Link | undefined> {
  if (seq <= 0) return chainStart;
  const [there] = await ask<Link>(`SELECT seq::float8 AS seq, hash FROM audit_seals WHERE seq = ${seq}`);
  return there;
}

/** Whether the chain still goes through this place. */
export const holds = async (ask: Ask, { seq, hash }: Link): Promise<boolean> =>
  seq === 0 || (await linkAt(ask, seq))?.hash === hash;

/** What the chain cannot show: an end that was cut off, and rows that were kept from the sealer. */
export async function faultAtEnd(ask: Ask): Promise<string | undefined> {
  const head = await headOf(ask);
  if (!(await holds(ask, head))) return `seal ${head.seq}, the last one, is missing`;
  const [unsealed] = await ask<{ said: string }>(
    `SELECT concat_ws(' ', 'row', id, '(' || (a.at AT TIME ZONE 'UTC'), action, 'by', actor || ') was never sealed') AS said
     FROM audit a CROSS JOIN audit_head h
     WHERE (a.sealed OR a.at < h.looked_at - ${LONGEST_TRANSACTION})
       AND NOT EXISTS (SELECT FROM audit_seals s WHERE s.audit_id = a.id)
     ORDER BY a.at LIMIT 1`,
  );
  return unsealed?.said;
}

/** The whole chain of one schema, up to where it ended when this began. */
export async function verifyChain(ask: Ask): Promise<Walked> {
  const all: Walked = { at: chainStart, rows: 0, withoutValues: 0, fault: undefined };
  for (const head = await headOf(ask); all.at.seq < head.seq; ) {
    const part = await walkOn(ask, all.at);
    all.rows += part.rows;
    all.withoutValues += part.withoutValues;
    if (part.fault !== undefined) return { ...all, fault: part.fault };
    if (part.at.seq === all.at.seq) break;
    all.at = part.at;
  }
  return { ...all, fault: await faultAtEnd(ask) };
}
