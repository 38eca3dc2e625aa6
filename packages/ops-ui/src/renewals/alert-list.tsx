import { Link } from '@tanstack/react-router';
import type { AlertOutcome, RenewalDetail } from '../api/types.ts';
import { channelNames, oneMessage } from '../parts/channels.tsx';
import { dayOf, inOwnDays, isWaiting, leavesAt, When } from '../parts/dates.tsx';
import { isHeld } from './ladder.ts';
import { stepInWords } from './outreach-words.ts';
import classes from './renewal-drawer.module.css';
import { rungInWords } from './rung-names.ts';

/** What each alert led to, and what came back. */
export function AlertList({ renewal: { alerts, due_date, customer_id } }: { renewal: RenewalDetail }) {
  const fired = alerts.filter(({ state }) => state === 'FIRED');
  if (fired.length === 0) return null;
  return (
    <ul className={classes.list}>
      {fired.map((alert) => (
        <li key={`${alert.due_date} ${alert.rung} ${alert.step}`}>
          <strong>{rungInWords(alert.rung)}</strong>
          {alert.step !== '0' && <span>{stepInWords(alert.step)}</span>}
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

function inWords(one: AlertOutcome): string {
  const { channel, outcome, instead_of, reason, status, send_after, send_after_reason } = one;
  if (channel === 'TASK') return outcome === 'cancelled' ? 'The task was cancelled' : 'A task was opened';
  const name = channelNames[channel];
  const why = reason ? `: ${inOwnDays(reason.message)}` : '';
  if (isHeld(one)) return `${name}: kept back${why}`;
  if (outcome === 'not_sent') return `${name}: not sent${why}`;
  if (outcome === 'cancelled') return `${name}: not needed any more${why}`;
  const instead = instead_of ? ` instead of the ${oneMessage[instead_of]}${why}` : '';
  const state =
    send_after !== null && isWaiting(one)
      ? leavesAt(send_after, send_after_reason)
      : status
        ? status.toLowerCase()
        : 'on its way';
  return `${name}${instead}: ${state}`;
}
