import { type ErasureOrder, type ErasureOutcome, internalRoutes } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { type Db, execute, inTransaction, oneRow, rows, type Trx } from '../database/database.ts';
import type { HttpApp } from '../http/http-app.ts';
import { type Sought, soughtBy } from './sought.ts';

/** A table, or part of one, where something of a person lies. */
export interface ErasurePlace {
  /** As the certificate names it. */
  name: string;
  table: string;
  /** Which rows are theirs: a condition on `t`, in the words of `sought.ts`. */
  theirs: string;
  /** What each of these columns is given. Left out: the row goes. */
  blanks?: Readonly<Record<string, string>>;
  /** Where no index finds the rows: by this key the table is looked through from end to end, a portion at a time. */
  through?: { key: string; type: 'uuid' | 'bigint' };
  /** What else is to be told of a row that goes: the id of the event that it is, which may still be under way. */
  tells?: string;
  /** Goes by itself, and soon: it is counted and waited for. */
  waits?: true;
  /** Where the service may not remove rows itself: takes those with these keys. */
  take?: (trx: Trx, keys: string[]) => Promise<void>;
}

/** One service's part of an erasure. */
export interface Erasure {
  /** Does some of it, in transactions of its own, and says where to go on. Done again it changes nothing. */
  apply(order: ErasureOrder): Promise<ErasureOutcome>;
}

export interface ErasureOptions {
  service: ServiceName;
  db: Db;
  places: readonly ErasurePlace[];
  /** The queues whose events may still be under way. */
  queues: readonly string[];
  /** No call takes much longer. */
  mostMs?: number;
  /** Rows of one transaction. */
  portion?: number;
}

type Position = ErasureOrder['from'];

interface Step {
  rows: number;
  /** Where the same place goes on; undefined: it is done. */
  after: string | null | undefined;
}

export function createErasure({ service, db, places, queues, mostMs = 4_000, portion = 500 }: ErasureOptions): Erasure {
  return {
    async apply(order) {
      const until = performance.now() + mostMs;
      await takeAsKnown(db, queues, order.events);
      const outcome = { changed: 0, waits: 0 };
      let next: Position = order.from ?? { place: places[0]?.name ?? '', after: null };
      while (next && performance.now() < until) {
        const { place, after }: NonNullable<Position> = next;
        const at = places.findIndex(({ name }) => name === place);
        const here = places[at];
        const step: Step | undefined = here && (await stepAt(db, here, order, after, portion));
        outcome[here?.waits ? 'waits' : 'changed'] += step?.rows ?? 0;
        next = step?.after !== undefined ? { place, after: step.after } : positionOf(places[at + 1]);
      }
      const counts = await countsOf(db, order.erasure_id);
      const events = await toldOf(db, order.erasure_id);
      return { ...outcome, places: counts.map((one) => ({ service, ...one })), events, next };
    },
  };
}

const positionOf = (place: ErasurePlace | undefined): Position => (place ? { place: place.name, after: null } : null);

export function mountErasure(http: HttpApp, erasure: Erasure): void {
  http.internal(internalRoutes.applyErasure, async ({ body }) => ({ body: await erasure.apply(body) }));
}

/** What was told of them before and is still under way finds, when it comes, that it was taken. */
async function takeAsKnown(db: Db, queues: readonly string[], events: readonly string[]): Promise<void> {
  if (events.length === 0) return;
  await execute(
    db,
    `INSERT INTO inbox (queue, event_id)
     SELECT queue, event_id FROM unnest(CAST(:queues AS text[])) AS q (queue), unnest(CAST(:events AS text[])) AS e (event_id)
     ORDER BY event_id, queue ON CONFLICT DO NOTHING`,
    { queues, events },
  );
}

/** A portion of one place, and how many rows it was, in one transaction. */
function stepAt(
  db: Db,
  place: ErasurePlace,
  order: ErasureOrder,
  after: string | null,
  portion: number,
): Promise<Step> {
  const sought = soughtBy(order);
  if (place.waits) return count(db, place, sought);
  return inTransaction(db, async (trx) => {
    const window = place.through && (await windowAfter(trx, place.table, place.through, after));
    if (place.through && !window) return { rows: 0, after: undefined };
    const gone = await erasePortion(trx, place, { ...sought, ...window }, portion);
    await noteRows(trx, order.erasure_id, place.name, gone.length);
    await noteTold(trx, order.erasure_id, gone);
    const isMore = window !== undefined || gone.length === portion;
    return { rows: gone.length, after: isMore ? (window?.up_to ?? null) : undefined };
  });
}

async function count(db: Db, { table, theirs }: ErasurePlace, sought: Sought): Promise<Step> {
  const sql = `SELECT count(*)::int AS found FROM ${table} t WHERE ${theirs}`;
  const { found } = await oneRow<{ found: number }>(db, sql, sought);
  return { rows: found, after: undefined };
}

/** Small enough for the time a statement has, whatever is to be looked at in each row. */
const windowRows = 1_000;

/** From after this key up to the last of as many rows; undefined: there are no more. */
async function windowAfter(
  trx: Trx,
  table: string,
  { key, type }: NonNullable<ErasurePlace['through']>,
  after: string | null,
): Promise<{ after: string; up_to: string } | undefined> {
  const begin = after ?? { uuid: '00000000-0000-0000-0000-000000000000', bigint: '-1' }[type];
  const keys = await rows<{ key: string }>(
    trx,
    `SELECT t.${key}::text AS key FROM ${table} t WHERE t.${key} > CAST(:begin AS ${type}) ORDER BY t.${key} LIMIT ${windowRows}`,
    { begin },
  );
  const up_to = keys.at(-1)?.key;
  return up_to === undefined ? undefined : { after: begin, up_to };
}

interface Gone {
  event_id?: string | null;
}

/** Rows of this place, gone or blanked; for whoever erases within a transaction of its own as well. */
export async function erasePortion(trx: Trx, place: ErasurePlace, sought: Sought, portion: number): Promise<Gone[]> {
  const { table, blanks, take, through, tells = 'NULL' } = place;
  const where = `${within(place)} AND (${place.theirs})${blanks ? ` AND (${notYet(blanks)})` : ''}`;
  const limit = through ? '' : `LIMIT ${portion}`;
  if (take && through) {
    const found = await rows<{ key: string }>(
      trx,
      `SELECT t.${through.key}::text AS key FROM ${table} t WHERE ${where}`,
      sought,
    );
    if (found.length > 0)
      await take(
        trx,
        found.map(({ key }) => key),
      );
    return found.map(() => ({}));
  }
  const what = blanks ? `UPDATE ${table} t SET ${given(blanks)}` : `DELETE FROM ${table} t`;
  return rows<Gone>(
    trx,
    `${what} WHERE t.ctid = ANY (ARRAY(SELECT t.ctid FROM ${table} t WHERE ${where} ${limit} FOR UPDATE))
     RETURNING ${tells} AS event_id`,
    sought,
  );
}

const within = ({ through }: ErasurePlace): string =>
  through
    ? `t.${through.key} > CAST(:after AS ${through.type}) AND t.${through.key} <= CAST(:up_to AS ${through.type})`
    : 'true';

/** What is blank already is not done again. */
const notYet = (blanks: Readonly<Record<string, string>>): string =>
  Object.entries(blanks)
    .map(([column, value]) => `t.${column} IS DISTINCT FROM (${value})`)
    .join(' OR ');

const given = (blanks: Readonly<Record<string, string>>): string =>
  Object.entries(blanks)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');

/** In the transaction of the erasing, so that a kill between the two loses no count. */
export async function noteRows(trx: Trx, erasure_id: string, place: string, more: number): Promise<void> {
  if (more === 0) return;
  await execute(
    trx,
    `INSERT INTO erasure_counts AS c (erasure_id, place, rows) VALUES (:erasure_id, :place, :more)
     ON CONFLICT (erasure_id, place) DO UPDATE SET rows = c.rows + excluded.rows`,
    { erasure_id, place, more },
  );
}

async function noteTold(trx: Trx, erasure_id: string, gone: readonly Gone[]): Promise<void> {
  const events = gone.flatMap(({ event_id }) => event_id ?? []);
  if (events.length === 0) return;
  await execute(
    trx,
    'INSERT INTO erasure_events (erasure_id, event_id) SELECT :erasure_id, unnest(CAST(:events AS text[])) ON CONFLICT DO NOTHING',
    { erasure_id, events },
  );
}

async function toldOf(db: Db, erasure_id: string): Promise<string[]> {
  const told = await rows<{ event_id: string }>(
    db,
    'SELECT event_id FROM erasure_events WHERE erasure_id = :erasure_id ORDER BY event_id',
    { erasure_id },
  );
  return told.map(({ event_id }) => event_id);
}

const countsOf = (db: Db, erasure_id: string): Promise<{ place: string; rows: number }[]> =>
  rows(db, 'SELECT place, rows::float8 AS rows FROM erasure_counts WHERE erasure_id = :erasure_id ORDER BY place', {
    erasure_id,
  });
