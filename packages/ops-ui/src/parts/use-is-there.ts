import { useCallback, useEffect, useRef } from 'react';

/** Whether what asks stands on the page still: the answer it waited for may come when somebody has closed it. */
export function useIsThere(): () => boolean {
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return useCallback(() => isThere.current, []);
}
