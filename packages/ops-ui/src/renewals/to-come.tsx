import type { RenewalDetail } from '../api/types.ts';
import { dayOf, leavesAt } from '../parts/dates.tsx';
import { asSentence } from '../parts/words.ts';
import { keepsBack } from './hold-words.ts';
import { comingInWords } from './outreach-words.ts';
import classes from './renewal-drawer.module.css';

/** What the nights are still to decide while nobody answers, and when the customer hears of it. */
export function ToCome({ renewal: { to_come, hold } }: { renewal: RenewalDetail }) {
  if (to_come.length === 0) return null;
  return (
    <ul className={classes.list} aria-label="What is to come, if nobody answers">
      {to_come.map((one) => (
        <li key={`${one.rung} ${one.step}`}>
          <span>{comingInWords(one)}</span>
          <span className={classes.aside}>{dayOf(one.on)}</span>
          {keepsBack(hold, one.on) && <span className={classes.why}>Its message will be kept back: held</span>}
          {one.leaves?.send_after && (
            <span className={classes.why}>
              {asSentence(leavesAt(one.leaves.send_after, one.leaves.send_after_reason))}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
