import { type Db, execute, firstRow, oneRow, rows } from '@ops/service-kit/database';

/** Whose it is: a customer's id may equal the name of a person of the firm. */
export interface Person {
  sub: string;
  role: string;
}

export interface SessionRow {
  id: string;
  began_at: Date;
  signed_in_at: Date | null;
  used_at: Date;
  ends_at: Date;
  browser: string;
  address: string;
}

export type NewSession = Person & Omit<SessionRow, 'began_at' | 'used_at'>;

export async function insertSession(db: Db, session: NewSession): Promise<void> {
  await execute(
    db,
    `INSERT INTO sessions (id, sub, role, signed_in_at, ends_at, browser, address)
     VALUES (:id, :sub, :role, :signed_in_at, :ends_at, :browser, :address)`,
    { ...session },
  );
}

const OPEN = `ended_at IS NULL AND ends_at > now() AND used_at > now() - make_interval(mins => :idleMinutes)`;

export async function isOpen(db: Db, id: string, idleMinutes: number): Promise<boolean> {
  const found = await firstRow(db, `SELECT id FROM sessions WHERE id = :id AND ${OPEN}`, { id, idleMinutes });
  return found !== undefined;
}

/** False: it is over. */
export async function noteUse(db: Db, id: string, idleMinutes: number): Promise<boolean> {
  const found = await firstRow(db, `UPDATE sessions SET used_at = now() WHERE id = :id AND ${OPEN} RETURNING id`, {
    id,
    idleMinutes,
  });
  return found !== undefined;
}

export async function listSessions(db: Db, { sub, role }: Person, idleMinutes: number): Promise<SessionRow[]> {
  return rows<SessionRow>(
    db,
    `SELECT id, began_at, signed_in_at, used_at, ends_at, browser, address FROM sessions
     WHERE sub = :sub AND role = :role AND ${OPEN}
     ORDER BY used_at DESC, id LIMIT 200`,
    { sub, role, idleMinutes },
  );
}

/** Of one person alone; undefined: they never had it. */
export async function endSession(db: Db, { sub, role }: Person, id: string): Promise<{ now: boolean } | undefined> {
  return firstRow<{ now: boolean }>(
    db,
    `WITH before AS (SELECT id, ended_at FROM sessions WHERE id = :id AND sub = :sub AND role = :role FOR UPDATE),
       ended AS (UPDATE sessions SET ended_at = now() WHERE id IN (SELECT id FROM before WHERE ended_at IS NULL))
     SELECT ended_at IS NULL AS now FROM before`,
    { id, sub, role },
  );
}

export async function endOthers(db: Db, { sub, role }: Person, but: string | undefined): Promise<string[]> {
  const ended = await rows<{ id: string }>(
    db,
    `UPDATE sessions SET ended_at = now()
     WHERE sub = :sub AND role = :role AND ended_at IS NULL AND id IS DISTINCT FROM CAST(:but AS uuid)
     RETURNING id`,
    { sub, role, but: but ?? null },
  );
  return ended.map(({ id }) => id);
}

export interface Endings {
  ids: string[];
  /** From when on to ask the next time: an ending is seen a moment after the time it bears. */
  until: string;
}

export async function endingsSince(db: Db, since: string | null): Promise<Endings> {
  return oneRow<Endings>(
    db,
    `SELECT coalesce(array_agg(CAST(id AS text)), '{}') AS ids, CAST(now() - interval '10 seconds' AS text) AS until
     FROM sessions WHERE ended_at >= coalesce(CAST(:since AS timestamptz), now() - interval '10 seconds')`,
    { since },
  );
}

const keptDays = 1;

/** What ended by itself becomes an ending like others; what every gateway has heard of for long is removed. */
export async function tidySessions(db: Db, idleMinutes: number): Promise<void> {
  await execute(db, `UPDATE sessions SET ended_at = now() WHERE ended_at IS NULL AND NOT (${OPEN})`, { idleMinutes });
  await execute(db, 'DELETE FROM sessions WHERE ended_at < now() - make_interval(days => :keptDays)', { keptDays });
}
