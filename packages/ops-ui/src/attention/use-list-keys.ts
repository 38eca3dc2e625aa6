import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { AttentionItem } from '../api/types.ts';
import type { Keys } from '../parts/key-help.tsx';
import { stepThrough } from '../parts/step-through.ts';

export const listKeys: Keys = [
  ['j', 'the next one'],
  ['k', 'the one before'],
  ['Enter', 'open it and answer'],
  ['e', 'be done with it'],
  ['s', 'snooze it, or wake it'],
  ['a', 'give it to an agent'],
];

const rowInHand = () => document.activeElement?.closest<HTMLElement>('[data-customer]:not([inert] *)');

/** The row in hand is the one that has the focus, so that Enter and screen readers need nothing more. */
export function useListKeys(list: RefObject<HTMLElement | null>, items: readonly AttentionItem[]) {
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-opens]') ?? [])];
  const move = (by: 1 | -1) => stepThrough(list.current, rowInHand(), by);
  const press = (what: string) => () => rowInHand()?.querySelector<HTMLElement>(what)?.click();
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    // Held down, it would be done with one after the other.
    ['e', ({ repeat }) => repeat || press('[data-done]')()],
    ['s', press('[data-snooze]')],
    ['a', () => rowInHand()?.querySelector<HTMLElement>('[data-assign]')?.focus()],
  ]);
  return {
    /** It will be gone: the one after it is in hand then, or the last that stays. */
    leave(id: string) {
      const at = items.findIndex(({ customer_id }) => customer_id === id);
      const all = links();
      (all[at + 1] ?? all[at - 1])?.focus();
    },
  };
}
