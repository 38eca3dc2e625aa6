import { IconRefresh } from '@tabler/icons-react';
import { ActButton } from '../parts/act-button.tsx';
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
    <ActButton
      variant={variant}
      leftSection={<IconRefresh size={16} aria-hidden />}
      isPending={isRunning}
      act={startRefresh}
    >
      {isRunning ? 'Refreshing' : label}
    </ActButton>
  );
}
