import { useState } from 'react';

/** What was typed, and the version of what it is to change. */
export interface Kept<T> {
  value: T;
  basedOn: number;
  /** What was saved then; the version before did not keep it. */
  began?: T | undefined;
}

export interface Standing<T> extends Kept<T> {
  isDirty: boolean;
  /** Somebody else saved since this was begun. */
  isStale: boolean;
}

/**
 * What was typed stands over what is saved, until both say the same; over a later version too, where that says what was there when
 * it was begun. A field that the form did not have when it was kept is
 * as it is saved.
 */
export function standingOf<T extends object>(kept: Kept<T> | null, saved: T, version: number): Standing<T> {
  const value = { ...saved, ...kept?.value };
  const isDirty = JSON.stringify(value) !== JSON.stringify(saved);
  if (!kept || !isDirty) return { value: saved, basedOn: version, isDirty: false, isStale: false };
  const { began } = kept;
  const isAsBegun = began !== undefined && JSON.stringify(began) === JSON.stringify(saved);
  const basedOn = isAsBegun ? version : kept.basedOn;
  return { value, basedOn, began, isDirty, isStale: basedOn !== version };
}

/** What is left to be saved of it once this was sent and made that version; null: nothing was typed since. */
export const typedSince = <T>(kept: Kept<T> | null, sent: T, version: number): Kept<T> | null =>
  kept && JSON.stringify(kept.value) !== JSON.stringify(sent) ? { value: kept.value, basedOn: version } : null;

export interface Draft<T> extends Standing<T> {
  /** The version there is by now. */
  version: number;
  write(change: Partial<T>): void;
  discard(): void;
  /** This was sent, and made that version. False: something was typed since, and is left to be saved. `as`: how it is called by now. */
  saved(sent: T, version: number, as?: string): boolean;
}

/** What is typed into a form: it outlasts the form and a reload of the page, until it is saved or thrown away. */
export function useDraft<T extends object>(name: string, saved: T, version: number): Draft<T> {
  const [kept, setKept] = useState(() => read<T>(name));
  const standing = standingOf(kept, saved, version);
  const keep = (next: Kept<T> | null) => {
    store(name, next);
    setKept(next);
  };
  return {
    ...standing,
    version,
    write: (change) => {
      const { value, basedOn, isDirty } = standing;
      keep({ value: { ...value, ...change }, basedOn, began: isDirty ? standing.began : saved });
    },
    discard: () => keep(null),
    saved: (sent, made, as = name) => {
      const left = typedSince(read<T>(name), sent, made);
      keep(as === name ? left : null);
      store(as, left);
      return left === null;
    },
  };
}

const placeOf = (name: string) => `settings-draft:${name}`;

function store(name: string, kept: Kept<unknown> | null): void {
  if (kept) sessionStorage.setItem(placeOf(name), JSON.stringify(kept));
  else sessionStorage.removeItem(placeOf(name));
}

function read<T>(name: string): Kept<T> | null {
  const text = sessionStorage.getItem(placeOf(name));
  return text === null ? null : (JSON.parse(text) as Kept<T>);
}
