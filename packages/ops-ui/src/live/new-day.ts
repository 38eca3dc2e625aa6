import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useToday } from '../parts/dates.tsx';

/** The clocks of this device and of the service are seldom further apart. */
const graceMs = 60_000;
const countedInDays = ['renewals', 'renewal', 'customer-renewals', 'flags'];

/** Days that are left are counted by the service: a page left open over night is to say in the morning how many there are by then. */
export function useNewDay(): void {
  const queries = useQueryClient();
  const today = useToday();
  const counted = useRef(today);
  useEffect(() => {
    if (counted.current === today) return;
    counted.current = today;
    const timer = setTimeout(() => {
      for (const root of countedInDays) void queries.invalidateQueries({ queryKey: [root] });
    }, graceMs);
    return () => clearTimeout(timer);
  }, [today, queries]);
}
