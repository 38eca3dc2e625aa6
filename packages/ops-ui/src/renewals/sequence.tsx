import type { RenewalDetail } from '../api/types.ts';
import { deedInWords, skippedBecause } from './outreach-words.ts';
import classes from './renewal-drawer.module.css';
import { rungInWords } from './rung-names.ts';

/** What followed the alert that fired last: done, or skipped with why. */
export function Sequence({ renewal: { sequence } }: { renewal: RenewalDetail }) {
  const decided = sequence?.steps.filter(({ state }) => state !== 'TO_COME') ?? [];
  if (sequence === null || decided.length === 0) return null;
  const rung = rungInWords(sequence.rung);
  return (
    <ul className={classes.list} aria-label={`What followed the alert of ${rung}`}>
      {decided.map((step) => (
        <li key={step.step} data-closed>
          <span>
            {rung}, step {step.step}: {deedInWords(step)}
          </span>
          <span className={classes.aside}>
            {step.state === 'FIRED' ? 'done' : `skipped: ${skippedBecause(step.because)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
