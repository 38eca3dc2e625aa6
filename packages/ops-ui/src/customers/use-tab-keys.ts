import { useHotkeys } from '@mantine/hooks';
import type { RefObject } from 'react';
import type { Keys } from '../parts/key-help.tsx';
import { workspaceTabs } from './workspace-search.ts';

export const tabKeys: Keys = [[`1-${workspaceTabs.length}`, 'the tabs, from the left']];

/** To a tab by its place. Whoever goes there by key is at it, and the arrow keys go on. A field hears digits of its own. */
export function useTabKeys(list: RefObject<HTMLElement | null>): void {
  useHotkeys(
    workspaceTabs.map((_, at) => [
      String(at + 1),
      () => {
        const tab = list.current?.querySelectorAll<HTMLElement>('[role=tab]')[at];
        tab?.focus();
        if (tab?.ariaSelected !== 'true') tab?.click();
      },
    ]),
  );
}
