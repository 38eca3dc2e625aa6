import { Button } from '@mantine/core';
import { useMatch } from '@tanstack/react-router';
import { CustomerLink } from './customer-link.tsx';
import classes from './not-taken.module.css';
import { isNotTaken, type Outgoing, takeBack, useOutgoing } from './outgoing.ts';

/** Over every page: whoever went on hears of what the service did not take, and can go where it is. */
export function NotTaken() {
  const atHand = useComposerOf();
  const elsewhere = useOutgoing().filter((one) => isNotTaken(one) && one.customerId !== atHand);
  return (
    <div className={classes.all} role="alert">
      {elsewhere.map((one) => (
        <div key={one.key}>
          <span>
            {what(one)} <CustomerLink id={one.customerId} />: {why(one)}
          </span>
          {one.state === 'refused' && (
            <Button size="compact-xs" variant="default" onClick={() => takeBack(one)}>
              Keep as draft
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}

/** Whose composer is on the page: it says the same there, and more. */
function useComposerOf(): string | undefined {
  const workspace = useMatch({ from: '/customers/$id', shouldThrow: false });
  return workspace?.search.tab === undefined ? workspace?.params.id : undefined;
}

function what({ kind }: Outgoing): string {
  if (kind === 'INTERNAL_NOTE') return 'Your note about';
  return kind === 'CALL_LOG' ? 'Your record of a call with' : 'Your message to';
}

const why = ({ state, problem }: Outgoing): string =>
  state === 'refused' ? `not taken. ${problem}` : 'nobody knows whether it was taken.';
