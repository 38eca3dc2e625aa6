import type { RenewalDetail } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { deedInWords, skippedBecause } from './outreach-words.ts';
import classes from './renewal-drawer.module.css';
import { rungInWords } from './rung-names.ts';

/** What follows the alert that fired last: done, skipped with why, or to come. */
export function Sequence({ renewal: { sequence } }: { renewal: RenewalDetail }) {
  if (sequence === null) return null;
  const { rung, steps } = sequence;
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
            {(step.state === 'SUPERSEDED' || step.state === 'ENDED') && `skipped: ${skippedBecause(step.because)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
