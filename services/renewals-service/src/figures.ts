import { rungs } from '@ops/contracts/resources/renewal';
import type { Figure } from '@ops/service-kit/figures';
import { atRisk } from './at-risk/at-risk-columns.ts';

/** By the database's calendar, which is a few hours off the firm's at most. */
const AT_RISK = atRisk({ today: 'current_date', now: 'now()' });

/** Whether the nights do what they are there for. */
export const figures: readonly Figure[] = [
  {
    kind: 'gauge',
    name: 'renewals_refresh_completed_timestamp_seconds',
    help: 'When the last refresh was completed; missing before the first',
    sql: `SELECT extract(epoch FROM finished_at) AS value FROM refresh_runs
          WHERE status = 'COMPLETED' ORDER BY finished_at DESC LIMIT 1`,
  },
  {
    kind: 'gauge',
    name: 'renewals_refresh_unfinished_seconds',
    help: 'How long the refresh at work has run; 0 when none is',
    sql: `SELECT coalesce(extract(epoch FROM now() - (
            SELECT started_at FROM refresh_runs WHERE status = 'RUNNING')), 0) AS value`,
  },
  {
    kind: 'gauge',
    name: 'renewals_refresh_set_aside',
    help: 'Renewals that the last refresh could not treat',
    sql: `SELECT counts->'set_aside' AS value FROM refresh_runs ORDER BY started_at DESC LIMIT 1`,
  },
  {
    kind: 'gauge',
    name: 'renewals_at_risk',
    help: 'Renewals due within so many days, or overdue, that nobody is at',
    labels: ['within_days'],
    sql: `SELECT within_days, count(r.id) AS value
          FROM unnest(ARRAY[7, 30]) AS every (within_days)
          LEFT JOIN (SELECT id, due_date FROM renewals r WHERE ${AT_RISK}) r ON r.due_date <= current_date + within_days
          GROUP BY within_days`,
  },
  {
    kind: 'counter',
    name: 'renewals_refresh_runs_total',
    help: 'Refreshes by how they ended',
    labels: ['status'],
    sql: `SELECT status, count(*) AS value FROM refresh_runs WHERE status <> 'RUNNING' GROUP BY status`,
  },
  {
    kind: 'counter',
    name: 'renewals_alerts_fired_total',
    help: 'Alerts fired by all refreshes',
    labels: ['rung'],
    // Each rung from the beginning: of a counter that begins above 0 nobody sees the first step.
    sql: `SELECT rung, coalesce(sum(fired::bigint), 0) AS value
          FROM unnest(ARRAY[${rungs.map((rung) => `'${rung}'`).join()}]) AS every (rung)
          LEFT JOIN (refresh_runs CROSS JOIN jsonb_each_text(counts->'by_rung') AS of_rung (of, fired)) ON of = rung
          GROUP BY rung`,
  },
];
