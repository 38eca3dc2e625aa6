import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { QueuedRenewal } from '../api/types.ts';
import type { RenewalChanges } from './renewal-changes.ts';
import { isOpen } from './renewal-words.ts';

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
    const id = document.activeElement?.closest('[data-renewal]')?.getAttribute('data-renewal');
    return renewals.find((one) => one.id === id);
  };
  const move = (by: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-opens]') ?? [])];
    const row = document.activeElement?.closest('[data-renewal]');
    const at = links.findIndex((link) => row?.contains(link));
    links[at === -1 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
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
