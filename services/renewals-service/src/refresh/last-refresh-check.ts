import { type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import type { Figure } from '@ops/service-kit/figures';
import { figures } from '../figures.ts';

const completed = figures.find(({ name }) => name === 'renewals_refresh_completed_timestamp_seconds') as Figure;
const lateAfterHours = 26;

interface Client {
  query(sql: string): Promise<{ rows: { hours: string }[] }>;
}

/** Whether the nights do what they are there for: the figure an operator is woken by. */
export async function lastRefreshLine(client: Client): Promise<Line> {
  const { rows } = await client.query(
    `SELECT (extract(epoch FROM now()) - value) / 3600 AS hours FROM (${completed.sql}) AS last`,
  );
  const name = 'last refresh';
  const fix = 'docs/runbook.md, NightMissed: REFRESH_CRON, or the CronJob; Renewals → Refresh now makes up for it';
  const [last] = rows;
  if (!last) return warning(name, 'none was completed yet', fix);
  const hours = Number(last.hours);
  const said = `completed ${hours.toFixed(0)} hours ago`;
  return hours > lateAfterHours ? warning(name, said, fix) : ok(name, said);
}
