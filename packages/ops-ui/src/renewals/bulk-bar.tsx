import { Button } from '@mantine/core';
import { useRef } from 'react';
import type { Renewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { GiveTo } from '../parts/give-to.tsx';
import classes from './bulk-bar.module.css';
import { useAssign } from './renewal-changes.ts';

const notYet = '?';

interface BulkBarProps {
  renewals: readonly Renewal[];
  clear(): void;
  /** Where the focus goes from here. */
  backToRow(): void;
}

/** What is done to all that are selected. */
export function BulkBar({ renewals, clear, backToRow }: BulkBarProps) {
  const assign = useAssign(useAgentNames());
  const bar = useRef<HTMLElement>(null);
  const leave = () => {
    const { activeElement } = document;
    // Whoever has gone on to something else meanwhile stays there.
    if (activeElement === document.body || bar.current?.contains(activeElement)) backToRow();
    clear();
  };
  if (renewals.length === 0) return null;
  return (
    <section className={classes.bar} aria-label="Selected renewals" ref={bar}>
      <span>{renewals.length} selected</span>
      <GiveTo
        size="xs"
        data-assign
        value={notYet}
        any={{ value: notYet, label: 'Give to…' }}
        leaving="forgets"
        aria-disabled={assign.isPending}
        onChange={(agent) =>
          agent !== notYet && !assign.isPending && assign.mutate({ renewals, agent }, { onSuccess: leave })
        }
        aria-label="Give to"
      />
      <Button size="compact-sm" variant="subtle" color="gray" onClick={leave}>
        Clear
      </Button>
    </section>
  );
}
