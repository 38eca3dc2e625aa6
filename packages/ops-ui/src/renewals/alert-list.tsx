import { Link } from '@tanstack/react-router';
import type { AlertOutcome, RenewalDetail } from '../api/types.ts';
import { channelNames } from '../parts/channels.tsx';
import { dayOf, instantOf, When } from '../parts/dates.tsx';
import classes from './renewal-drawer.module.css';
import { rungInWords } from './rung-names.ts';

/** What each alert led to, and what came back. */
export function AlertList({ renewal: { alerts, due_date, customer_id } }: { renewal: RenewalDetail }) {
  const fired = alerts.filter(({ state }) => state === 'FIRED');
  if (fired.length === 0) return null;
  return (
    <ul className={classes.list}>
      {fired.map((alert) => (
        <li key={`${alert.due_date} ${alert.rung}`}>
          <strong>{rungInWords(alert.rung)}</strong>
          {alert.due_date !== due_date && <span>of the date before, {dayOf(alert.due_date)}</span>}
          <span className={classes.aside}>
            <When at={alert.decided_at} />
          </span>
          {alert.outcomes.length === 0 && <span className={classes.why}>Nothing has been sent yet.</span>}
          {alert.outcomes.map((outcome) => (
            <span key={outcome.channel} className={classes.why}>
              {inWords(outcome)}
              {outcome.reply_id && (
                <>
                  , and{' '}
                  <Link to="/customers/$id" params={{ id: customer_id }} search={{ message: outcome.reply_id }}>
                    the customer answered
                  </Link>
                </>
              )}
              {outcome.task_id && outcome.outcome === 'planned' && (
                <>
                  {': '}
                  <Link to="/tasks" search={{ view: 'all', task: outcome.task_id }}>
                    show it
                  </Link>
                </>
              )}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function inWords({ channel, outcome, instead_of, reason, status, send_after }: AlertOutcome): string {
  if (channel === 'TASK') return outcome === 'cancelled' ? 'The task was cancelled' : 'A task was opened';
  const name = channelNames[channel];
  const why = reason ? `: ${reason.message}` : '';
  if (outcome === 'not_sent') return `${name}: not sent${why}`;
  if (outcome === 'cancelled') return `${name}: not needed any more${why}`;
  const instead = instead_of ? ` instead of ${channelNames[instead_of].toLowerCase()}${why}` : '';
  const waits = status === 'QUEUED' && send_after !== null && Date.parse(send_after) > Date.now();
  const state = waits ? `leaves ${instantOf(send_after)}` : status ? status.toLowerCase() : 'on its way';
  return `${name}${instead}: ${state}`;
}
