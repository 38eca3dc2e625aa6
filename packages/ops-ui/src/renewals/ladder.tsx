import {
  IconAlertTriangleFilled,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleMinus,
  IconCirclePause,
} from '@tabler/icons-react';
import type { RenewalDetail } from '../api/types.ts';
import { dayOf, instantOf, shortDayOf } from '../parts/dates.tsx';
import { urgencyOf } from '../parts/urgency.tsx';
import classes from './ladder.module.css';
import { placeOf, type Step, stepsOf } from './ladder.ts';
import { rungInWords } from './rung-names.ts';

/** From the first reminder to overdue, and where today is. */
export function Ladder({ renewal, isCompact = false }: { renewal: RenewalDetail; isCompact?: boolean }) {
  const { days_until_due } = renewal;
  return (
    <div className={classes.ladder} data-compact={isCompact || undefined}>
      <ol className={classes.steps} aria-label="Alerts from the first to the last">
        {stepsOf(renewal).map((step) => (
          <li
            key={step.rung}
            className={classes.step}
            data-state={step.state}
            data-rung={step.rung}
            title={whole(step)}
          >
            <Sign step={step} />
            <span className={classes.rung}>{step.rung === 'OVERDUE' ? 'Overdue' : step.rung}</span>
            <span className={classes.words}>{isToCome(step) ? shortDayOf(step.date) : step.state}</span>
            {step.state === 'held' && <span className={classes.words}>held</span>}
          </li>
        ))}
      </ol>
      {days_until_due !== null && (
        <span className={classes.track} aria-hidden>
          <span
            className={classes.today}
            data-urgency={urgencyOf(days_until_due)}
            style={{ insetInlineStart: `${100 * placeOf(days_until_due)}%` }}
          >
            today
          </span>
        </span>
      )}
    </div>
  );
}

const isToCome = ({ state }: Step): boolean => state === 'to come' || state === 'held';

function Sign({ step: { state, rung } }: { step: Step }) {
  if (state === 'fired' && rung === 'OVERDUE') return <IconAlertTriangleFilled size={18} aria-hidden />;
  if (state === 'fired') return <IconCircleCheckFilled size={18} aria-hidden />;
  if (state === 'superseded') return <IconCircleMinus size={18} aria-hidden />;
  if (state === 'kept back') return <IconCirclePause size={18} aria-hidden />;
  if (state === 'held') return <IconCircleDashed size={18} aria-hidden />;
  return <IconCircle size={18} aria-hidden />;
}

function whole({ rung, date, state, decidedAt }: Step): string {
  const name = rungInWords(rung);
  if (state === 'to come') return `${name}: to come on ${dayOf(date)}`;
  if (state === 'held') return `${name}: to come on ${dayOf(date)}, and its message will be kept back`;
  if (state === 'kept back' && decidedAt)
    return `${name}: fired ${instantOf(decidedAt)}, and its message was kept back`;
  return decidedAt ? `${name}: ${state} ${instantOf(decidedAt)}` : `${name}: ${state}`;
}
