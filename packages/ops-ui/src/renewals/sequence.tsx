import type { RenewalDetail } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { deedInWords, type SequenceStep, skippedBecause } from './outreach-words.ts';
import classes from './renewal-drawer.module.css';
import { rungInWords } from './rung-names.ts';

/** What follows the alert that fired last: done, skipped with why, or to come. */
export function Sequence({ renewal: { sequence, alerts, due_date } }: { renewal: RenewalDetail }) {
  if (sequence === null) return null;
  const { rung, ended, steps } = sequence;
  const whyOf = ({ step }: SequenceStep) =>
    alerts.find((one) => one.rung === rung && one.step === step && one.due_date === due_date)?.because ?? ended;
  return (
    <ul className={classes.list} aria-label={`What follows the alert of ${rungInWords(rung)}`}>
      {steps.map((step) => (
        <li key={step.step} data-closed={step.state !== 'TO_COME' || undefined}>
          <span>
            {rungInWords(rung)}, step {step.step}: {deedInWords(step)}
          </span>
          <span className={classes.aside}>
            {step.state === 'TO_COME' && dayOf(step.on)}
            {step.state === 'FIRED' && 'done'}
            {(step.state === 'SUPERSEDED' || step.state === 'ENDED') && `skipped: ${skippedBecause(whyOf(step))}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
