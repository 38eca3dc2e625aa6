import { useRef, useState } from 'react';
import { type Asked, askedAgain } from '../api/idempotency.ts';
import { whoAmI } from '../session/session.ts';

/**
 * What is typed of something new: it outlasts its form and a reload of the page until that is made, and nobody finds what
 * somebody else typed at the same browser. So does the key it was asked for with: whatever became of that, it is made once.
 */
export function useNewDraft<T extends object>(name: string, empty: T) {
  const place = `new ${name} ${whoAmI()}`;
  const [typed, setTyped] = useState<Partial<T>>(() => read(place) ?? {});
  const keyPlace = `key of ${place}`;
  const asked = useRef(read<Asked>(keyPlace));
  const keyOf = (body: unknown): string => {
    asked.current = askedAgain(asked.current, body);
    localStorage.setItem(keyPlace, JSON.stringify(asked.current));
    return asked.current.key;
  };
  const write = (change: Partial<T>) => {
    const next = { ...typed, ...change };
    localStorage.setItem(place, JSON.stringify(next));
    setTyped(next);
  };
  const forget = () => {
    localStorage.removeItem(place);
    localStorage.removeItem(keyPlace);
    asked.current = null;
    setTyped({});
  };
  return { draft: { ...empty, ...typed }, write, keyOf, forget };
}

const read = <T>(place: string): T | null => JSON.parse(localStorage.getItem(place) ?? 'null');
