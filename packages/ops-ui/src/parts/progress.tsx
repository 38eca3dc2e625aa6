import { Progress } from '@mantine/core';
import classes from './progress.module.css';

interface ProgressBarProps {
  /** What is going on, for who cannot see it. */
  label: string;
  /** How far it came, in words; they stand below the bar. */
  words: string;
  /** From 0 to 1; null where nobody knows how much there is. */
  share: number | null;
}

/** How far something came, as a bar and in words that say the same. */
export function ProgressBar({ label, words, share }: ProgressBarProps) {
  const percent = share === null ? null : Math.round(share * 100);
  return (
    <div className={classes.bar}>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuetext={words}
        {...(percent !== null && { 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': percent })}
      >
        <Progress.Root size="md">
          <Progress.Section value={percent ?? 100} withAria={false} striped animated={percent === null} />
        </Progress.Root>
      </div>
      <span className={classes.words}>{words}</span>
    </div>
  );
}
