import { useQuery } from '@tanstack/react-query';
import { channelNames } from '../parts/channels.tsx';
import { isWaiting, leavesAt } from '../parts/dates.tsx';
import { renewalQuery } from '../renewals/renewal-queries.ts';
import classes from './tasks.module.css';

/** What machines are yet to write about the renewal of a task: when it leaves, and why then. */
export function Waiting({ renewalId }: { renewalId: string }) {
  const { data } = useQuery(renewalQuery(renewalId));
  const lines = data?.alerts.flatMap(({ outcomes }) =>
    outcomes.flatMap((one) =>
      one.channel !== 'TASK' && one.send_after !== null && isWaiting(one)
        ? `${channelNames[one.channel]}: ${leavesAt(one.send_after, one.send_after_reason)}`
        : [],
    ),
  );
  if (!lines?.length) return null;
  return (
    <>
      <dt>Not sent yet</dt>
      <dd>
        <ul className={classes.tried}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </dd>
    </>
  );
}
