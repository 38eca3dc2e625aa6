import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { Keys } from '../parts/key-help.tsx';

export const writeKeys: Keys = [
  ['r', 'write to the customer'],
  ['Ctrl+Enter', 'send what is written'],
  ['Escape', 'from what one writes back to the page'],
];

export const detailKeys: Keys = [
  ['Ctrl+Enter', 'save what is changed'],
  ['Escape', 'from a field back to the page'],
];

/** To where one writes, and from there back. */
export function useWriteKeys(composer: RefObject<HTMLElement | null>): void {
  const write = () => composer.current?.querySelector('textarea')?.focus();
  useHotkeys([['r', write]]);
  useLeaveKey(composer);
}

/** Back to the page: a field does not hear its keys. */
export function useLeaveKey(where: RefObject<HTMLElement | null>): void {
  const leave = () => {
    const isThere = where.current?.contains(document.activeElement);
    if (isThere) document.getElementById('content')?.focus({ preventScroll: true });
  };
  useHotkeys([['Escape', leave, { preventDefault: false }]], []);
}
