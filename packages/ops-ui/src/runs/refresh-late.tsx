import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { instantOf, useNow, When } from '../parts/dates.tsx';
import { type LastRefresh, lastRefreshOf } from './last-refresh.ts';
import { lastCompletedQuery } from './run-queries.ts';
import classes from './runs.module.css';

/** Says so when no refresh was completed for longer than a night, or nobody can tell: alerts that are due may not have gone out. */
export function RefreshLate() {
  const now = useNow();
  const { data, error, isPending } = useQuery(lastCompletedQuery);
  const last = lastRefreshOf(data, !error, now);
  if (isPending || last.state === 'recent') return null;
  return (
    <p className={classes.late} role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <span>
        <Warning last={last} />
      </span>
    </p>
  );
}

function Warning({ last }: { last: Exclude<LastRefresh, { state: 'recent' }> }) {
  if (last.state === 'unknown')
    return (
      <>
        <strong>Whether last night’s refresh ran cannot be told now.</strong> Runs could not be fetched.
      </>
    );
  if (last.state === 'none')
    return (
      <>
        <strong>No refresh was completed yet.</strong> Alerts that are due may not have gone out.
      </>
    );
  return (
    <>
      <strong>
        The last completed refresh was <When at={last.finishedAt} />
      </strong>{' '}
      ({instantOf(last.finishedAt)}). Alerts that became due since then may not have gone out.
    </>
  );
}
