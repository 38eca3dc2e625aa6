import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { Keys } from '../parts/key-help.tsx';

export const writeKeys: Keys = [
  ['r', 'write to the customer'],
  ['Ctrl+Enter', 'send what is written'],
  ['Escape', 'from what one writes back to the page'],
];

/** To where one writes, and from there back to the page: a field does not hear its keys. */
export function useWriteKeys(composer: RefObject<HTMLElement | null>): void {
  const write = () => composer.current?.querySelector('textarea')?.focus();
  const leave = () => {
    const isThere = composer.current?.contains(document.activeElement);
    if (isThere) document.getElementById('content')?.focus({ preventScroll: true });
  };
  useHotkeys([['r', write]]);
  useHotkeys([['Escape', leave, { preventDefault: false }]], []);
}
