import { type RefObject, useEffect, useRef } from 'react';
import { neighbourOf } from './keep-place.ts';

const rowOf = (element: Element | null) =>
  element?.closest('[data-renewal]')?.getAttribute('data-renewal') ?? undefined;

/**
 * Nobody loses their place in a list whose rows go away: when what had the focus is gone, its row has it, or the row that
 * stands there now. Answers a way back to the row that last had it.
 */
export function usePlace(list: RefObject<HTMLElement | null>, ids: readonly string[]): () => void {
  const held = useRef<Element>(null);
  const last = useRef<string>(undefined);
  const before = useRef<readonly string[]>(ids);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent) => {
      const element = target instanceof Element && list.current?.contains(target) ? target : null;
      held.current = element;
      last.current = rowOf(element) ?? last.current;
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, [list]);
  useEffect(() => {
    const id = last.current;
    const row = id === undefined || ids.includes(id) ? id : neighbourOf(id, before.current, ids);
    before.current = ids;
    last.current = row;
    const isLost = held.current?.isConnected === false && document.activeElement === document.body;
    if (isLost) focusRow(list.current, row);
  });
  return () => focusRow(list.current, last.current);
}

const focusRow = (list: HTMLElement | null, id = '') =>
  list?.querySelector<HTMLElement>(`[data-renewal="${CSS.escape(id)}"] [data-opens]`)?.focus();
