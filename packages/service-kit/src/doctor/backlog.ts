import type pg from 'pg';
import { type Figure, sharedFigures } from '../database/figures.ts';
import { type Line, ok, warning } from './finding.ts';

const lateAfterSeconds = 300;

/** What waits though nothing should: the same figures an operator watches. */
export async function backlogLines(client: pg.Client): Promise<Line[]> {
  const waited = Number((await client.query(sqlOf('outbox_oldest_seconds'))).rows[0]?.value ?? 0);
  const { rows } = await client.query(sqlOf('dead_letters_waiting'));
  return [outboxLine(waited), deadLettersLine(rows)];
}

const sqlOf = (name: string): string => (sharedFigures.find((figure) => figure.name === name) as Figure).sql;

function outboxLine(seconds: number): Line {
  if (seconds <= lateAfterSeconds)
    return ok('outbox', seconds > 0 ? `the oldest event waits for ${seconds.toFixed(0)} s` : 'empty');
  const said = `the oldest event has waited for ${Math.round(seconds / 60)} minutes`;
  return warning('outbox', said, 'docs/runbook.md, OutboxGrowing');
}

function deadLettersLine(rows: { queue: string; value: string }[]): Line {
  if (rows.length === 0) return ok('dead letters', 'none');
  const said = rows.map(({ queue, value }) => `${value} of ${queue}`).join(', ');
  return warning('dead letters', said, 'Settings → Dead letters, and docs/runbook.md, DeadLetters');
}
