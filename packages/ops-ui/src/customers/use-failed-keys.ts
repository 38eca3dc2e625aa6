import { useHotkeys } from '@mantine/hooks';
import { type FocusEvent, useEffect, useRef } from 'react';
import type { Keys } from '../parts/key-help.tsx';
import { stepThrough } from '../parts/step-through.ts';

export const failedKeys: Keys = [
  ['j', 'the next one'],
  ['k', 'the one before'],
  ['Enter', 'open the customer'],
  ['e', 'settled otherwise'],
];

const rowInHand = () => document.activeElement?.closest<HTMLElement>('[data-failed]');

/** The row in hand is the one that has the focus. Once it is settled and gone, the one that came after it is. */
export function useFailedKeys(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const held = useRef(-1);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-failed]') ?? [])];
  const move = (by: 1 | -1) => stepThrough(list.current, rowInHand(), by);
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['e', () => rowInHand()?.querySelector<HTMLElement>('[data-settle]')?.click()],
  ]);
  useEffect(() => {
    if (held.current === -1 || document.activeElement !== document.body) return;
    const row = rows()[Math.min(held.current, count - 1)];
    (row?.querySelector<HTMLElement>('[data-opens]') ?? document.getElementById('content'))?.focus();
  }, [count]);
  const onFocus = ({ target }: FocusEvent) => {
    held.current = rows().findIndex((row) => row.contains(target));
  };
  return { list, onFocus };
}
