import { SegmentedControl, type SegmentedControlProps } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { TaskState } from './tasks-search.ts';

interface StateFilterProps extends Pick<SegmentedControlProps, 'size'> {
  state: TaskState;
}

/** Which tasks a list shows, wherever it stands. */
export function StateFilter({ state, size }: StateFilterProps) {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      {...(size !== undefined && { size })}
      value={state}
      onChange={(value) => navigate({ to: '.', search: (before) => ({ ...before, state: value as TaskState }) })}
      data={[
        { value: 'open', label: 'Open' },
        { value: 'done', label: 'Done' },
        { value: 'cancelled', label: 'Cancelled' },
      ]}
      aria-label="Which tasks"
    />
  );
}
