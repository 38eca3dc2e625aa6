import { Button } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import classes from './bulk-bar.module.css';
import { GiveTo } from './give-to.tsx';

const notYet = '?';

interface BulkBarProps {
  /** What is selected. */
  label: string;
  count: number;
  isBusy: boolean;
  give(agent: string | null, done: () => void): void;
  clear(): void;
  /** Where the focus goes from here. */
  backToRow(): void;
  /** What else can be done to them; `done` when it was. */
  children?(done: () => void): ReactNode;
}

/** What is done to all that are selected. */
export function BulkBar({ label, count, isBusy, give, clear, backToRow, children }: BulkBarProps) {
  const bar = useRef<HTMLElement>(null);
  const leave = () => {
    const { activeElement } = document;
    // Whoever has gone on to something else meanwhile stays there.
    if (activeElement === document.body || bar.current?.contains(activeElement)) backToRow();
    clear();
  };
  if (count === 0) return null;
  return (
    <section className={classes.bar} aria-label={label} ref={bar}>
      <span>{count} selected</span>
      <GiveTo
        size="xs"
        data-assign
        value={notYet}
        any={{ value: notYet, label: 'Give to…' }}
        leaving="forgets"
        aria-disabled={isBusy}
        onChange={(agent) => agent !== notYet && !isBusy && give(agent, leave)}
        aria-label="Give to"
      />
      {children?.(leave)}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={leave}>
        Clear
      </Button>
    </section>
  );
}
