import { Button, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Refusal } from '../parts/refusal.tsx';
import { tell } from '../parts/told.tsx';
import type { Draft } from './draft.ts';
import classes from './settings.module.css';
import type { Save } from './use-save.ts';

interface SaveBarProps<T> {
  draft: Draft<T>;
  save: Save;
  /** Fields that tell their own problems; those of all others are told here. */
  fields: readonly string[];
  /** What is saved by now, for who has to choose. */
  theirs?: string;
}

/** What has room beside the rest is shown at once. */
const short = 120;

/** Below a form: what stands in the way of saving it, and the way on. */
export function SaveBar<T>({ draft, save, fields, theirs }: SaveBarProps<T>) {
  const isStale = draft.isStale && !save.isPending;
  const discard = () => {
    const { value } = draft;
    draft.discard();
    tell('What you typed is thrown away.', () => draft.write(value as Partial<T>));
  };
  return (
    <div className={classes.saveBar} data-save-bar>
      {isStale && (
        <div role="alert" className={classes.stale}>
          <p>
            <IconAlertTriangle size={16} aria-hidden /> Somebody else changed this since you began. What you typed is
            still here and is not saved.
          </p>
          {theirs && (
            <details className={classes.theirs} open={theirs.length < short}>
              <summary>What it says now</summary>
              {theirs}
            </details>
          )}
          <Group gap="sm">
            <Button size="compact-sm" variant="default" onClick={() => save.over(draft.version)}>
              Save mine over it
            </Button>
            <Button size="compact-sm" variant="default" onClick={discard}>
              Take theirs
            </Button>
          </Group>
        </div>
      )}
      {!isStale && save.problem && save.problem.status !== 412 && <Refusal problem={save.problem} fields={fields} />}
      {!isStale && (
        <Group gap="sm">
          <Button type="submit" disabled={!draft.isDirty} loading={save.isPending}>
            Save
          </Button>
          {draft.isDirty && (
            <Button variant="default" onClick={discard} disabled={save.isPending}>
              Discard
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}
