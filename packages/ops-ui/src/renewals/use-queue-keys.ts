import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { QueuedRenewal } from '../api/types.ts';
import type { Keys } from '../parts/key-help.tsx';
import { stepThrough } from '../parts/step-through.ts';
import type { RenewalChanges } from './renewal-changes.ts';
import { isOpen } from './renewal-words.ts';

export const queueKeys: Keys = [
  ['j', 'the next one'],
  ['k', 'the one before'],
  ['Enter', 'open it'],
  ['x', 'select it'],
  ['a', 'give it, or what is selected, to an agent'],
  ['e', 'complete it'],
];

/** Of a list that stands for another one until that is there, none is in hand. */
const rowInHand = () => document.activeElement?.closest('[data-renewal]:not([inert] *)');

interface Selection {
  isSelected(id: string): boolean;
  select(id: string, isSelected: boolean): void;
}

/** The queue by keyboard. The row in hand is the one that has the focus, so that Enter and screen readers need nothing more. */
export function useQueueKeys(
  list: RefObject<HTMLElement | null>,
  renewals: readonly QueuedRenewal[],
  { isSelected, select }: Selection,
  { complete }: RenewalChanges,
): void {
  const inHand = () => {
    const id = rowInHand()?.getAttribute('data-renewal');
    return renewals.find((one) => one.id === id);
  };
  // Whoever is in the drawer goes on from the one that is open there.
  const move = (by: 1 | -1) =>
    stepThrough(list.current, rowInHand() ?? list.current?.querySelector('[data-focused]'), by);
  const withRow = (act: (renewal: QueuedRenewal) => void) => () => {
    const renewal = inHand();
    if (renewal) act(renewal);
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['x', withRow(({ id }) => select(id, !isSelected(id)))],
    ['e', withRow((renewal) => isOpen(renewal) && complete.mutate({ seen: renewal }))],
    [
      'a',
      () => {
        const renewal = inHand();
        if (renewal) select(renewal.id, true);
        // The bar is there once the selection is.
        requestAnimationFrame(() => document.querySelector<HTMLElement>('[data-assign]')?.focus());
      },
    ],
  ]);
}
