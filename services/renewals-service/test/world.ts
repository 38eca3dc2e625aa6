import { createOutbox } from '@ops/bus/outbox';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventData } from '@ops/contracts/events';
import type { RenewalStatus, Rung } from '@ops/contracts/resources/renewal';
import { type Db, openDatabase } from '@ops/service-kit/database';
import { createLogger } from '@ops/service-kit/logger';
import { emptyTables } from '@ops/test-kit/empty-tables';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../src/deps.ts';
import { refresh } from '../src/refresh/refresh-service.ts';
import { createRefresher, type Refresher } from '../src/refresh/refresh-worker.ts';
import type { StoredRun } from '../src/refresh/run-store.ts';
import { nextAlertOn } from '../src/renewals/rungs.rules.ts';
import { tickingClock } from './clock.ts';
import { createTestDatabase } from './database.ts';

/** The refresh alone, without a service around it: a database, a day that is set, and runs. */
export interface World {
  db: Db;
  databaseUrl: string;
  adminUrl: string;
  deps: Deps;
  /** The business date from now on; its clock goes on from 02:00 of a date that is another. */
  setToday(date: string): void;
  /** As one more process has it. */
  newRefresher(batch?: number, over?: Db): Refresher;
  /** That day's run, to its end. */
  night(date: string, batch?: number): Promise<StoredRun>;
  /** What was told since it was last asked, but for runs that are over. */
  told(): Promise<Envelope[]>;
  /** Of which runs it was told since it was last asked that they are over. */
  finished(): Promise<EventData<'refresh.finished'>[]>;
  empty(): Promise<void>;
  close(): Promise<void>;
}

const silent = createLogger('test', 'silent');

export async function startWorld(): Promise<World> {
  const database = await createTestDatabase();
  const databaseUrl = database.urls.renewals;
  const db = openDatabase(databaseUrl, { applicationName: 'test' });
  let today = '2026-03-02';
  let now = nightOf(today);
  const deps: Deps = {
    outbox: createOutbox('renewals-service'),
    now: () => now(),
    today: () => today,
    dateAt: (moment) => moment.toISOString().slice(0, 10),
    customers: { cards: async () => [] },
    agents: { known: async (ids) => [...ids] },
  };
  const setToday = (date: string) => {
    if (date !== today) now = nightOf(date);
    today = date;
  };
  const newRefresher = (batch = 1_000, over = db) =>
    createRefresher({ ...deps, db: over, logger: silent, committed: () => {}, batch });
  return {
    db,
    databaseUrl,
    deps,
    setToday,
    newRefresher,
    adminUrl: database.adminUrl,
    async night(date, batch) {
      setToday(date);
      return (await refresh(newRefresher(batch), { started_by: null })) as StoredRun;
    },
    told: async () =>
      (await db.raw(`DELETE FROM outbox WHERE type <> 'refresh.finished' RETURNING id, event`)).rows
        .sort(byId)
        .map(eventOf),
    finished: async () =>
      (await db.raw(`DELETE FROM outbox WHERE type = 'refresh.finished' RETURNING id, event`)).rows
        .sort(byId)
        .map(eventOf)
        .map(({ data }: Envelope) => data),
    async empty() {
      now = nightOf(today);
      await emptyTables(db, 'renewals', 'refresh_runs', 'outbox');
      await db('refreshed').update({ as_of: null });
    },
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
}

const nightOf = (date: string) => tickingClock(`${date}T02:00:00Z`);
const byId = (one: { id: string }, other: { id: string }) => Number(one.id) - Number(other.id);
const eventOf = ({ event }: { event: Envelope }) => event;

export interface Given {
  due_date: string;
  status?: Extract<RenewalStatus, 'UPCOMING' | 'IN_PROGRESS' | 'OVERDUE'>;
  /** Passed over without a run. */
  recorded?: Rung[];
  /** Of these, what fired. */
  fired?: Rung[];
  silent_through?: Rung | null;
  customer_id?: string;
}

/** Renewals as they lie in the table, whoever made them; their ids, in the order given. */
export async function insertRenewals(db: Db, given: readonly Given[]): Promise<string[]> {
  const at = new Date('2025-01-01T00:00:00Z');
  const rows = given.map(
    ({ due_date, status = 'UPCOMING', recorded = [], customer_id = 'C-1', silent_through = null }) => ({
      id: uuidv7(),
      customer_id,
      service_type: 'RESIDENCE_PERMIT',
      due_date,
      status,
      silent_through,
      anchor_day: Number(due_date.slice(8)),
      created_on: '2025-01-01',
      created_at: at,
      updated_at: at,
      next_alert_on: nextAlertOn(due_date, recorded, status === 'OVERDUE'),
    }),
  );
  await db.batchInsert('renewals', rows, 500);
  const alerts = rows.flatMap(({ id, due_date }, n) =>
    (given[n]?.recorded ?? []).map((rung) => ({
      renewal_id: id,
      due_date,
      rung,
      state: given[n]?.fired?.includes(rung) ? 'FIRED' : 'SUPERSEDED',
      days_until_due: 0,
      decided_at: at,
    })),
  );
  await db.batchInsert('alerts', alerts, 500);
  return rows.map(({ id }) => id);
}
