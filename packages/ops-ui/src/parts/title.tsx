import { useEffect, useSyncExternalStore } from 'react';

const system = document.title;
let title = '';
const listeners = new Set<() => void>();

/** What the page is called: in the tab of the browser, and to whoever has pages read out. */
export function useTitle(words: string): void {
  useEffect(() => {
    title = words;
    document.title = `${words} · ${system}`;
    for (const listener of listeners) listener();
  }, [words]);
}

/** Pages change without the browser noticing, so which one there is now has to be said. */
export function TitleSaid() {
  const words = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => title,
  );
  return (
    <div className="visually-hidden" role="status" aria-label="This page">
      {words}
    </div>
  );
}
