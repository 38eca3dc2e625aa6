import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import type { RefreshRunDetail } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf, instantOf, useNow } from '../parts/dates.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { RungName } from '../renewals/rung-name.tsx';
import { type Rung, rungs } from '../renewals/rung-names.ts';
import { runQuery } from './run-queries.ts';
import { RunStatus } from './run-status.tsx';
import { durationInWords, tookMs } from './run-words.ts';
import classes from './runs.module.css';

/** One refresh with everything it counted, and what it could not deal with. */
export function RunDrawer({ id, close }: { id: string; close(): void }) {
  const { data: run, error, isPending, refetch } = useQuery(runQuery(id));
  return (
    <Drawer
      key={id}
      title={run ? `Refresh for ${dayOf(run.as_of)}` : 'Refresh'}
      label={run ? `Refresh for ${dayOf(run.as_of)}` : 'Refresh'}
      close={close}
    >
      {isPending && <Loading />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {run && <Detail run={run} />}
    </Drawer>
  );
}

function Detail({ run }: { run: RefreshRunDetail }) {
  const { counts, started_at, started_by } = run;
  const nameOf = useAgentNames();
  const now = useNow();
  return (
    <>
      <RunStatus run={run} />
      <dl className={classes.facts}>
        <Fact name="Started">{instantOf(started_at)}</Fact>
        <Fact name="By">{started_by === null ? 'The nightly schedule' : nameOf(started_by)}</Fact>
        <Fact name="Took">{durationInWords(tookMs(run, now))}</Fact>
        <Fact name="Looked at">{counts.looked_at.toLocaleString()}</Fact>
        <Fact name="Alerts fired">{counts.fired.toLocaleString()}</Fact>
        <Fact name="Followed an alert">{counts.outreach.toLocaleString()}</Fact>
        <Fact name="Superseded">{counts.superseded.toLocaleString()}</Fact>
        <Fact name="Became overdue">{counts.became_overdue.toLocaleString()}</Fact>
        <Fact name="At risk besides">{run.at_risk === null ? 'not counted' : run.at_risk.toLocaleString()}</Fact>
        <Fact name="Set aside">{counts.set_aside.toLocaleString()}</Fact>
      </dl>
      <ByRung run={run} />
      {run.set_aside.length > 0 && <SetAside run={run} />}
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Each number leads to the renewals it counts. */
const ByRung = ({ run }: { run: RefreshRunDetail }) => (
  <table className={classes.byRung}>
    <caption>Alerts fired, by rung</caption>
    <thead>
      <tr>
        <th scope="col">Rung</th>
        <th scope="col" className={classes.number}>
          Alerts
        </th>
      </tr>
    </thead>
    <tbody>
      {rungs.map((rung) => (
        <tr key={rung}>
          <th scope="row">
            <RungName rung={rung} />
          </th>
          <td className={classes.number}>
            <Alerted run={run} rung={rung} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

function Alerted({ run: { run_id, counts }, rung }: { run: RefreshRunDetail; rung: Rung }) {
  const count = counts.by_rung[rung] ?? 0;
  if (count === 0) return '0';
  return (
    <Link to="/renewals" search={{ run: run_id, rung }}>
      {count.toLocaleString()}
    </Link>
  );
}

/** The next run tries these again. */
const SetAside = ({ run: { set_aside, counts } }: { run: RefreshRunDetail }) => (
  <section aria-labelledby="set-aside">
    <h3 id="set-aside" className={classes.heading}>
      Set aside: {counts.set_aside}
    </h3>
    <p className={classes.quiet}>
      Something was wrong with these renewals; the next refresh tries them again.
      {set_aside.length < counts.set_aside && ` The first ${set_aside.length} are shown.`}
    </p>
    <ul className={classes.setAside}>
      {set_aside.map(({ renewal_id, customer_id, error }) => (
        <li key={renewal_id}>
          <Link to="/customers/$id" params={{ id: customer_id }}>
            {customer_id}
          </Link>
          <span>{error}</span>
        </li>
      ))}
    </ul>
  </section>
);
