import { ActionIcon, Button } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { asProblem } from '../api/problem.ts';
import { inOwnDays } from './dates.tsx';
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

/** Nothing goes while somebody is at what is told. */
function goInTime(key: number): void {
  const isHeld = () => document.querySelector(`.${classes.all}:is(:hover, :focus-within)`) !== null;
  setTimeout(() => (isHeld() ? goInTime(key) : forget(key)), shownMs);
}

function takeBack({ key, undo }: Told): void {
  forget(key);
  undo?.();
}

function show(told: Omit<Told, 'key'>): void {
  // Said already: a service that is away is so for everything on the page.
  if (told.isProblem && all.some(({ words }) => words === told.words)) return;
  const key = ++keys;
  set([...all, { ...told, key }]);
  goInTime(key);
}

/** Says what was done, and offers to undo it where that is possible. */
export const tell = (words: string, undo?: () => unknown): void => show({ words, isProblem: false, undo });

/** Says why something was not done. */
export const tellProblem = (error: unknown): void =>
  show({ words: inOwnDays(asProblem(error).message), isProblem: true });

/** In a corner of the page, and read out by whatever reads it out. */
export function AllTold() {
  const told = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => all,
  );
  const takeLastBack = () => {
    const last = told.findLast(({ undo }) => undo);
    if (last) takeBack(last);
  };
  useHotkeys([['u', takeLastBack]]);
  return (
    <div className={classes.all} role="status">
      {told.map((one) => (
        <div key={one.key} className={classes.one} data-problem={one.isProblem || undefined}>
          <span>{one.words}</span>
          {one.undo && (
            <Button size="compact-sm" variant="default" aria-keyshortcuts="u" onClick={() => takeBack(one)}>
              Undo
            </Button>
          )}
          <ActionIcon variant="subtle" color="gray" size="sm" onClick={() => forget(one.key)} aria-label="Dismiss">
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
    </div>
  );
}
