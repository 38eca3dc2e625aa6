import { ActionIcon, Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { asProblem } from '../api/problem.ts';
import classes from './told.module.css';

interface Told {
  key: number;
  words: string;
  isProblem: boolean;
  undo?: (() => unknown) | undefined;
}

const shownMs = 10_000;

let all: readonly Told[] = [];
let keys = 0;
const listeners = new Set<() => void>();

function set(next: readonly Told[]): void {
  all = next;
  for (const listener of listeners) listener();
}

const forget = (key: number) => set(all.filter((one) => one.key !== key));

function show(told: Omit<Told, 'key'>): void {
  // Said already: a service that is away is so for everything on the page.
  if (told.isProblem && all.some(({ words }) => words === told.words)) return;
  const key = ++keys;
  set([...all, { ...told, key }]);
  setTimeout(() => forget(key), shownMs);
}

/** Says what was done, and offers to undo it where that is possible. */
export const tell = (words: string, undo?: () => unknown): void => show({ words, isProblem: false, undo });

/** Says why something was not done. */
export const tellProblem = (error: unknown): void => show({ words: asProblem(error).message, isProblem: true });

/** In a corner of the page, and read out by whatever reads it out. */
export function AllTold() {
  const told = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => all,
  );
  return (
    <div className={classes.all} role="status">
      {told.map(({ key, words, isProblem, undo }) => (
        <div key={key} className={classes.one} data-problem={isProblem || undefined}>
          <span>{words}</span>
          {undo && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                forget(key);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={() => forget(key)} aria-label="Dismiss">
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
    </div>
  );
}
