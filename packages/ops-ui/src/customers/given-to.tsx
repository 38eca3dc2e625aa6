import type { Customer } from '../api/types.ts';
import { giveCustomer } from '../attention/attention-actions.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { GiveTo } from '../parts/give-to.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import classes from './workspace.module.css';

/** To a list that hears no keys of the page. */
export const goGive = (): void => document.querySelector<HTMLElement>('[data-gives]')?.focus();

/** Whose the customer is; whoever is chosen has them at once. */
export function GivenTo({ customer }: { customer: Customer }) {
  const nameOf = useAgentNames();
  return (
    <span className={classes.givenTo}>
      Agent
      <GiveTo
        variant="unstyled"
        size="xs"
        aria-label={`Agent of ${customer.name}`}
        aria-keyshortcuts="a"
        data-gives
        value={customer.assigned_agent}
        onChange={(agent) => {
          void giveCustomer(customer, agent, nameOf);
          takeFocus(document.getElementById('content'));
        }}
      />
    </span>
  );
}
