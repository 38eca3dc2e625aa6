import { useHotkeys } from '@mantine/hooks';
import { type RefObject, useState } from 'react';
import type { Keys } from './key-help.tsx';
import { stepThrough } from './step-through.ts';

export const selectionKeys: Keys = [
  ['j', 'the next one'],
  ['k', 'the one before'],
  ['Enter', 'open it'],
  ['x', 'select it'],
  ['a', 'give it, or what is selected, to an agent'],
];

/** Of a list that stands for another one until that is there, none is in hand. */
const rowInHand = () => document.activeElement?.closest<HTMLElement>('[data-row]:not([inert] *)');

/** What is selected of a list whose rows say their id as `data-row`, by mouse and by keyboard. */
export function useSelection<T extends { id: string }>(list: RefObject<HTMLElement | null>, items: readonly T[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = (id: string, isSelected: boolean) =>
    setSelected((before) => new Set(isSelected ? [...before, id] : [...before].filter((one) => one !== id)));
  const idInHand = () => rowInHand()?.getAttribute('data-row') ?? undefined;
  const move = (by: 1 | -1) => stepThrough(list.current, rowInHand(), by);
  const withRow = (act: (id: string) => void) => {
    const id = idInHand();
    if (id !== undefined) act(id);
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['x', () => withRow((id) => select(id, !selected.has(id)))],
    [
      'a',
      () => {
        withRow((id) => select(id, true));
        // The bar is there once the selection is.
        requestAnimationFrame(() => document.querySelector<HTMLElement>('section [data-assign]')?.focus());
      },
    ],
  ]);
  const chosen = items.filter(({ id }) => selected.has(id));
  const backToRow = () =>
    list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(chosen[0]?.id ?? '')}"] [data-opens]`)?.focus();
  return { selected, select, chosen, clear: () => setSelected(new Set()), backToRow };
}
