import { useState } from 'react';
import { whoAmI } from '../session/session.ts';

/**
 * What is typed of something new: it outlasts its form and a reload of the page until that is made, and nobody finds what
 * somebody else typed at the same browser.
 */
export function useNewDraft<T extends object>(name: string, empty: T) {
  const place = `new ${name} ${whoAmI()}`;
  const [typed, setTyped] = useState<Partial<T>>(() => JSON.parse(localStorage.getItem(place) ?? '{}'));
  const write = (change: Partial<T>) => {
    const next = { ...typed, ...change };
    localStorage.setItem(place, JSON.stringify(next));
    setTyped(next);
  };
  const forget = () => {
    localStorage.removeItem(place);
    setTyped({});
  };
  return { draft: { ...empty, ...typed }, write, forget };
}
