import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { startRefresh, useRefresh } from './refresh-run.ts';

/** Begins a refresh; how it goes is told by the `RefreshReport` of the page. */
export function RefreshNow({
  label = 'Refresh now',
  variant = 'filled',
}: {
  label?: string;
  variant?: 'filled' | 'default';
}) {
  const { isRunning } = useRefresh();
  return (
    <Button
      variant={variant}
      leftSection={<IconRefresh size={16} aria-hidden />}
      onClick={() => !isRunning && startRefresh()}
      // It keeps the focus while it can do nothing.
      aria-disabled={isRunning}
      data-disabled={isRunning || undefined}
    >
      {isRunning ? 'Refreshing' : label}
    </Button>
  );
}
