import { IconAlertTriangle } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { instantOf, useNow, When } from '../parts/dates.tsx';
import { lastRefreshOf } from './last-refresh.ts';
import { runsQuery } from './run-queries.ts';
import classes from './runs.module.css';

/** Says so when no refresh was completed for longer than a night: alerts that are due have not gone out. */
export function RefreshLate() {
  const now = useNow();
  const { data } = useInfiniteQuery(runsQuery);
  if (!data) return null;
  const last = lastRefreshOf(
    data.pages.flatMap((page) => page.data),
    now,
  );
  if (last.state === 'recent') return null;
  return (
    <p className={classes.late} role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      {last.state === 'none' ? (
        <span>
          <strong>No refresh was completed yet.</strong> Alerts that are due may not have gone out.
        </span>
      ) : (
        <span>
          <strong>
            The last completed refresh was <When at={last.finishedAt} />
          </strong>{' '}
          ({instantOf(last.finishedAt)}). Alerts that became due since then may not have gone out.
        </span>
      )}
    </p>
  );
}
