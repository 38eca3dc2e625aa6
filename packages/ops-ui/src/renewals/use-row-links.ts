import { useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

/**
 * Follows the plain links of a long list. Of the router's own, each would work out anew where it leads whenever the address
 * changes, as it does with every row that is opened: thousands of them take longer than anything else a page does.
 */
export function useRowLinks(list: RefObject<HTMLElement | null>): void {
  const { history } = useRouter();
  useEffect(() => {
    const rows = list.current;
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest('[data-renewal] a');
      const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
      if (!link || isElsewhere) return;
      event.preventDefault();
      history.push(link.getAttribute('href') ?? '');
    };
    rows?.addEventListener('click', onClick);
    return () => rows?.removeEventListener('click', onClick);
  }, [history, list]);
}
