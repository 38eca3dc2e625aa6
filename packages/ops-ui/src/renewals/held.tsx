import { IconPlayerPause } from '@tabler/icons-react';
import type { Hold, Renewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { inOwnDays, shortDayOf } from '../parts/dates.tsx';
import { withDaysWritten } from '../parts/days.ts';
import { asSentence } from '../parts/words.ts';
import { heldInWords, heldShortly } from './hold-words.ts';
import classes from './renewal-drawer.module.css';

/** For the cell of a table. */
export const heldBriefly = (hold: Hold): string => withDaysWritten(heldShortly(hold), shortDayOf);

/** Why the customer is not reminded by machine, and what whoever looks after it noted. */
export function Held({ hold, acknowledged }: { hold: Hold; acknowledged: Renewal['acknowledged'] }) {
  const agentOf = useAgentNames();
  return (
    <p className={classes.held}>
      <IconPlayerPause size={14} aria-hidden />
      {inOwnDays(asSentence(heldInWords(hold, acknowledged ? agentOf(acknowledged.by) : undefined)))}
      {hold.because === 'acknowledged' && acknowledged?.note && <q>{acknowledged.note}</q>}
    </p>
  );
}
