import { Button, Text } from '@mantine/core';
import type { CustomerDetail } from '../api/types.ts';
import { leavesTheFirm } from './compose.ts';
import classes from './composer.module.css';
import { canRepeat, deliver, isNotTaken, type Outgoing, useOutgoing } from './outgoing.ts';

/** What was written a moment ago and can be taken back, and what the service did not take. */
export function NotInLog({ customer, edit }: { customer: CustomerDetail; edit(one: Outgoing): void }) {
  const ids = [customer.id, ...customer.merged_from];
  const waiting = useOutgoing().filter((one) => ids.includes(one.customerId));
  if (waiting.length === 0) return null;
  return (
    <ul className={classes.waiting} aria-live="polite" aria-label="Not in the log yet">
      {waiting.map((one) => (
        <li key={one.key} data-state={one.state}>
          <Text size="sm" lineClamp={1} flex={1}>
            {standing(one)}
            {one.draft.body}
          </Text>
          {isNotTaken(one) && canRepeat(one) && (
            <Button size="compact-xs" variant="default" onClick={() => deliver(one.key)}>
              Try again
            </Button>
          )}
          {canChange(one) && (
            <Button size="compact-xs" variant="default" onClick={() => edit(one)}>
              {one.state === 'waiting' ? 'Undo' : 'Change'}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** What may have been taken is repeated as it was as long as that makes no second one. */
const canChange = (one: Outgoing): boolean =>
  one.state === 'waiting' || one.state === 'refused' || (one.state === 'unknown' && !canRepeat(one));

function standing(one: Outgoing): string {
  if (one.state === 'refused') return `Not taken: ${one.problem} `;
  if (one.state === 'sending') return 'Sending: ';
  if (one.state === 'waiting') return leavesTheFirm(one.kind) ? 'Leaves in a moment: ' : '';
  return canRepeat(one)
    ? 'Nobody knows whether it was taken; trying again sends it once. '
    : 'Nobody knows whether it was taken: see whether it is above. ';
}
