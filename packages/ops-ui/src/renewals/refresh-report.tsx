import { ActionIcon, Anchor, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { RefreshRunDetail } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { When } from '../parts/dates.tsx';
import { ProgressBar } from '../parts/progress.tsx';
import { Failed } from '../parts/states.tsx';
import { asSentence } from '../parts/words.ts';
import { useMe } from '../session/session.ts';
import classes from './refresh-report.module.css';
import { forgetRefresh, startRefresh, useFetchAgainAfter, useRefresh } from './refresh-run.ts';
import {
  alertedInWords,
  atRiskInWords,
  byRungInWords,
  otherDeedsInWords,
  progressInWords,
  shareDone,
} from './refresh-words.ts';

/** How a refresh goes and what it did; takes no room while there is none. To stand below the header of a page. */
export function RefreshReport() {
  const { run, isStarting, problem } = useRefresh();
  useFetchAgainAfter(run);
  if (problem)
    return (
      <section className={classes.report} aria-label="Refresh">
        <Heading>The refresh did not begin</Heading>
        <div className={classes.refusal}>
          <Failed problem={problem} again={startRefresh} />
        </div>
      </section>
    );
  if (!run && !isStarting) return null;
  return (
    <section className={classes.report} aria-label="Refresh">
      {run && run.status !== 'RUNNING' ? <Outcome run={run} /> : <Running run={run} />}
    </section>
  );
}

function Heading({ children }: { children: ReactNode }) {
  return (
    <h2 className={classes.heading}>
      {children}
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={forgetRefresh} aria-label="Close the report">
        <IconX size={14} />
      </ActionIcon>
    </h2>
  );
}

function Running({ run }: { run: RefreshRunDetail | undefined }) {
  return (
    <>
      <h2 className={classes.heading}>
        Refreshing
        {run && <StartedBy run={run} />}
      </h2>
      <ProgressBar
        label="Refresh of the renewals"
        words={run ? progressInWords(run) : 'Beginning'}
        share={run ? shareDone(run) : null}
      />
    </>
  );
}

/** A refresh that somebody else began is joined: this says whose it is. */
function StartedBy({ run: { started_by, started_at } }: { run: RefreshRunDetail }) {
  const me = useMe();
  const nameOf = useAgentNames();
  const who =
    started_by === null ? 'by the nightly schedule' : started_by === me.sub ? 'by you' : `by ${nameOf(started_by)}`;
  return (
    <Text span size="sm" c="var(--text-quiet)">
      Begun {who} <When at={started_at} />
    </Text>
  );
}

function Outcome({ run }: { run: RefreshRunDetail }) {
  return (
    <>
      <Heading>
        <Verdict status={run.status} />
        <StartedBy run={run} />
      </Heading>
      <div role="status">
        {run.status === 'FAILED' && (
          <>
            <p className={classes.deeds}>{asSentence(run.failure ?? 'The service gave no reason')}</p>
            <p className={classes.deeds}>
              What was alerted by then stays; the next refresh goes on with the rest. Who looks into it needs the number
              of this one: {run.run_id}
            </p>
          </>
        )}
        {run.status === 'ABANDONED' && (
          <p className={classes.deeds}>
            A new day began while it was at work; the refresh of that day goes on with it.
          </p>
        )}
        <p className={classes.deeds}>
          <span>
            {alertedInWords(run.counts)}
            <ByRung run={run} />.
          </span>
          {otherDeedsInWords(run.counts).map((deed) => (
            <span key={deed}>{deed}</span>
          ))}
          <AtRisk count={run.at_risk} />
        </p>
      </div>
      {run.set_aside.length > 0 && (
        <ul className={classes.aside}>
          {run.set_aside.map(({ renewal_id, customer_id, error }) => (
            <li key={renewal_id}>
              <Anchor renderRoot={(props) => <Link to="/customers/$id" params={{ id: customer_id }} {...props} />}>
                {customer_id}
              </Anchor>
              : {error}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Each number leads to the renewals it counts. */
const ByRung = ({ run: { run_id, counts } }: { run: RefreshRunDetail }) =>
  byRungInWords(counts.by_rung).map(({ rung, words }, n) => (
    <Fragment key={rung}>
      {n === 0 ? ': ' : ', '}
      <Anchor renderRoot={(props) => <Link to="/renewals" search={{ run: run_id, rung }} {...props} />} inherit>
        {words}
      </Anchor>
    </Fragment>
  ));

/** Leads to those that are at risk by now. */
function AtRisk({ count }: { count: number | null }) {
  if (!count) return null;
  return (
    <span>
      <Anchor renderRoot={(props) => <Link to="/renewals" search={{ risk: true }} {...props} />} inherit>
        {atRiskInWords(count)}
      </Anchor>
      .
    </span>
  );
}

function Verdict({ status }: { status: RefreshRunDetail['status'] }) {
  if (status === 'COMPLETED')
    return (
      <>
        <IconCircleCheck size={18} className={classes.good} aria-hidden /> Refreshed
      </>
    );
  return (
    <>
      <IconAlertTriangle size={18} className={classes.problem} aria-hidden />
      {status === 'FAILED' ? 'The refresh failed' : 'The refresh was given up'}
    </>
  );
}
