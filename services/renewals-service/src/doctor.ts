import { type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import { runServiceDoctor } from '@ops/service-kit/doctor/service-doctor';
import type { Figure } from '@ops/service-kit/figures';
import { config } from './config.ts';
import { figures } from './figures.ts';

const lastNight = figures.find(({ name }) => name === 'renewals_refresh_completed_timestamp_seconds') as Figure;
const lateAfterHours = 26;

await runServiceDoctor({
  service: 'renewals-service',
  schema: config,
  migrations: new URL('../migrations/', import.meta.url),
  async tables(client) {
    const { rows } = await client.query(
      `SELECT (extract(epoch FROM now()) - value) / 3600 AS hours FROM (${lastNight.sql}) AS last`,
    );
    return [nightLine(rows[0]?.hours)];
  },
});

function nightLine(hours: string | undefined): Line {
  const fix = 'docs/runbook.md, NightMissed: REFRESH_CRON, or the CronJob; Renewals → Refresh now makes up for it';
  if (hours === undefined) return warning('last refresh', 'none was completed yet', fix);
  const said = `completed ${Number(hours).toFixed(0)} hours ago`;
  return Number(hours) > lateAfterHours ? warning('last refresh', said, fix) : ok('last refresh', said);
}
