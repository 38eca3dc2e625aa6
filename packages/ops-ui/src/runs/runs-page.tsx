import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { RefreshRun } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf, useNow, When } from '../parts/dates.tsx';
import { Beside } from '../parts/drawer.tsx';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import table from '../parts/table.module.css';
import { RungName } from '../renewals/rung-name.tsx';
import { RefreshLate } from './refresh-late.tsx';
import { RunDrawer } from './run-drawer.tsx';
import { runsQuery } from './run-queries.ts';
import { RunStatus } from './run-status.tsx';
import { durationInWords, firedByRung, tookMs } from './run-words.ts';
import classes from './runs.module.css';

const route = getRouteApi('/runs');

/** What each refresh did. */
export function RunsPage() {
  const { run } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Beside
      header={<PageHeader title="Runs" />}
      drawer={run && <RunDrawer key={run} id={run} close={() => navigate({ search: {} })} />}
    >
      <RefreshLate />
      <Runs chosen={run} />
    </Beside>
  );
}

function Runs({ chosen }: { chosen: string | undefined }) {
  const query = useInfiniteQuery(runsQuery);
  return (
    <div className={classes.list}>
      <Listed
        query={query}
        empty="There is no refresh yet. One starts each night, and whenever staff ask."
        skeleton={{ rows: 10 }}
      >
        {(runs) => (
          <table className={table.table}>
            <thead>
              <tr>
                <th>For</th>
                <th>Status</th>
                <th data-from="narrow">Started</th>
                <th>By</th>
                <th>Took</th>
                <th data-from="narrow" className={classes.number}>
                  Looked at
                </th>
                <th className={classes.number}>Alerts</th>
                <th data-from="middle">By rung</th>
                <th data-from="wide" className={classes.number}>
                  Superseded
                </th>
                <th data-from="wide" className={classes.number}>
                  Became overdue
                </th>
                <th className={classes.number}>Set aside</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <Row key={run.run_id} run={run} isChosen={run.run_id === chosen} />
              ))}
            </tbody>
          </table>
        )}
      </Listed>
    </div>
  );
}

function Row({ run, isChosen }: { run: RefreshRun; isChosen: boolean }) {
  const { run_id, as_of, started_by, started_at, counts } = run;
  const nameOf = useAgentNames();
  const now = useNow();
  return (
    <tr aria-current={isChosen || undefined} className={classes.row}>
      <td data-label="For">
        <Link to="/runs" search={{ run: run_id }} className={table.main}>
          {dayOf(as_of)}
        </Link>
      </td>
      <td data-label="Status">
        <RunStatus run={run} />
      </td>
      <td data-label="Started" data-from="narrow">
        <When at={started_at} />
      </td>
      <td data-label="By">{started_by === null ? 'The nightly schedule' : nameOf(started_by)}</td>
      <td data-label="Took">{durationInWords(tookMs(run, now))}</td>
      <td data-label="Looked at" data-from="narrow" className={classes.number}>
        {counts.looked_at.toLocaleString()}
      </td>
      <td data-label="Alerts" className={classes.number}>
        {counts.fired.toLocaleString()}
      </td>
      <td data-label="By rung" data-from="middle">
        <FiredByRung counts={counts} />
      </td>
      <td data-label="Superseded" data-from="wide" className={classes.number}>
        {counts.superseded.toLocaleString()}
      </td>
      <td data-label="Overdue" data-from="wide" className={classes.number}>
        {counts.became_overdue.toLocaleString()}
      </td>
      <td data-label="Set aside" className={classes.number} data-some={counts.set_aside > 0 || undefined}>
        {counts.set_aside.toLocaleString()}
      </td>
    </tr>
  );
}

const FiredByRung = ({ counts }: { counts: RefreshRun['counts'] }) => (
  <span className={classes.rungs}>
    {firedByRung(counts).map(({ rung, count }) => (
      <span key={rung}>
        <RungName rung={rung} /> {count.toLocaleString()}
      </span>
    ))}
  </span>
);
