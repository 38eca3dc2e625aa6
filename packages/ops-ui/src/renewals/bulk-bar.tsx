import { Button } from '@mantine/core';
import type { Renewal } from '../api/types.ts';
import { AgentSelect, useAgentNames } from '../parts/agents.tsx';
import classes from './bulk-bar.module.css';
import { useAssign } from './renewal-changes.ts';

const notYet = '?';

/** What is done to all that are selected. */
export function BulkBar({ renewals, clear }: { renewals: readonly Renewal[]; clear(): void }) {
  const assign = useAssign(useAgentNames());
  if (renewals.length === 0) return null;
  return (
    <section className={classes.bar} aria-label="Selected renewals">
      <span>{renewals.length} selected</span>
      <AgentSelect
        size="xs"
        data-assign
        value={notYet}
        any={{ value: notYet, label: 'Give to…' }}
        disabled={assign.isPending}
        onChange={(agent) => agent !== notYet && assign.mutate({ renewals, agent }, { onSuccess: clear })}
        aria-label="Give to"
      />
      <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
        Clear
      </Button>
    </section>
  );
}
