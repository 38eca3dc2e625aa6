import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ComingAlert, RenewalDetail } from '../api/types.ts';
import { dayOf, leavesAt } from '../parts/dates.tsx';
import { keepsBack } from './hold-words.ts';
import { comingInWords } from './outreach-words.ts';
import classes from './renewal-drawer.module.css';

const shownFirst = 3;

/** What the nights are still to decide while nobody answers, and when the customer hears of it. */
export function ToCome({ renewal: { to_come, hold } }: { renewal: RenewalDetail }) {
  const [isWhole, setWhole] = useState(false);
  if (to_come.length === 0) return null;
  const shown = isWhole ? to_come : to_come.slice(0, shownFirst);
  return (
    <>
      <ul className={classes.list} aria-label="What is to come, if nobody answers">
        {shown.map((one) => (
          <li key={`${one.rung} ${one.step}`}>
            <span>{comingInWords(one)}</span>
            <span className={classes.aside}>to come {dayOf(one.on)}</span>
            <Leaving leaves={one.leaves} isKeptBack={keepsBack(hold, one.on)} />
          </li>
        ))}
      </ul>
      {shown.length < to_come.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)}>
          Show {to_come.length - shown.length} more to come
        </Button>
      )}
    </>
  );
}

function Leaving({ leaves, isKeptBack }: Pick<ComingAlert, 'leaves'> & { isKeptBack: boolean }) {
  if (isKeptBack) return <span className={classes.why}>Its message will be kept back.</span>;
  if (!leaves) return null;
  const { send_after, send_after_reason } = leaves;
  const words = send_after === null ? 'leaves that night' : leavesAt(send_after, send_after_reason);
  return <span className={classes.why}>Its message {words}.</span>;
}
