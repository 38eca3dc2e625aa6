import { useRef } from 'react';

/** A key for what is asked for: asking for the same again carries the same one, so that it is done once. */
export function useIdempotencyKey(): (asked: unknown) => string {
  const last = useRef({ asked: '', key: '' });
  return (asked) => {
    const text = JSON.stringify(asked);
    if (last.current.asked !== text) last.current = { asked: text, key: crypto.randomUUID() };
    return last.current.key;
  };
}
