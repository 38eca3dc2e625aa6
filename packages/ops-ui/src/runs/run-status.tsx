import { Progress } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconPlayerPlay, IconReplace, type TablerIcon } from '@tabler/icons-react';
import type { RefreshRun } from '../api/types.ts';
import { shareDone } from '../renewals/refresh-words.ts';
import { statusWords } from './run-words.ts';
import classes from './runs.module.css';

const icons: Record<RefreshRun['status'], TablerIcon> = {
  RUNNING: IconPlayerPlay,
  COMPLETED: IconCheck,
  FAILED: IconAlertTriangle,
  ABANDONED: IconReplace,
};

/** Where a run is, in words and colour: how far it has come while it is at work, why it failed if it did. */
export function RunStatus({ run }: { run: RefreshRun }) {
  const Icon = icons[run.status];
  const share = shareDone(run);
  return (
    <div className={classes.status}>
      <span className={classes.sign} data-status={run.status}>
        <Icon size={14} aria-hidden /> {statusWords[run.status]}
        {run.remaining !== null && `, ${run.remaining.toLocaleString()} left`}
      </span>
      {run.status === 'RUNNING' && (
        <Progress value={(share ?? 1) * 100} animated={share === null} size="sm" aria-label="How much is done" />
      )}
      {run.failure && <span className={classes.failure}>{run.failure}</span>}
    </div>
  );
}
