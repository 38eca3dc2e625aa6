import { IconAlertTriangle } from '@tabler/icons-react';
import { outcomeNames, type Part, type Shown } from './import-words.ts';
import classes from './imports.module.css';

interface ImportPartsProps {
  parts: readonly Part[];
  shown: Shown;
  show(rows: Shown): void;
}

/** How many rows of each kind; a click shows these alone, a second one all again. */
export const ImportParts = ({ parts, shown, show }: ImportPartsProps) => (
  <fieldset className={classes.parts} aria-label="Which rows to show">
    {parts.map(({ outcome, count }) => (
      <button
        key={outcome}
        type="button"
        className={classes.part}
        data-outcome={outcome}
        aria-pressed={shown === outcome}
        disabled={count === 0}
        onClick={() => show(shown === outcome ? 'all' : outcome)}
      >
        <strong>{count.toLocaleString()}</strong>
        <span>
          {outcome === 'refused' && count > 0 && <IconAlertTriangle size={14} aria-hidden />}
          {outcomeNames[outcome]}
        </span>
      </button>
    ))}
  </fieldset>
);
