import { useInfiniteQuery } from '@tanstack/react-query';
import type { RetentionRun } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { When } from '../parts/dates.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import classes from './retention.module.css';
import { RetentionPlaces } from './retention-places.tsx';
import { retentionRunsQuery } from './retention-queries.ts';
import { rowsOf } from './retention-words.ts';
import settings from './settings.module.css';

export const RetentionRuns = () => (
  <section aria-labelledby="retention-runs">
    <h3 id="retention-runs" className={classes.heading} data-inset>
      Past runs
    </h3>
    <List />
  </section>
);

function List() {
  const query = useInfiniteQuery(retentionRunsQuery);
  return (
    <Listed query={query} empty="Nothing was removed or counted yet.">
      {(runs) => (
        <table className={table.table}>
          <thead>
            <tr>
              <th>When</th>
              <th>By</th>
              <th>What</th>
              <th>Outcome</th>
              <th>Where</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function Row({ run }: { run: RetentionRun }) {
  const { started_by, dry_run, status, failure, finished_at, places } = run;
  const nameOf = useAgentNames();
  return (
    <tr>
      <td data-label="When">
        <When at={finished_at} />
      </td>
      <td data-label="By">{started_by === null ? 'The nightly schedule' : nameOf(started_by)}</td>
      <td data-label="What">
        {dry_run ? 'Counted' : 'Removed'} {rowsOf(run)}
      </td>
      <td data-label="Outcome">
        {status === 'completed' ? (
          <span className={settings.good}>Completed</span>
        ) : (
          <span className={settings.error}>Not everywhere: {failure}</span>
        )}
      </td>
      <td data-label="Where">
        <RetentionPlaces places={places} />
      </td>
    </tr>
  );
}
