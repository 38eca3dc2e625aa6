import type { Subscription } from './port.ts';

/** Adds a part to these, from which it takes itself out when it is closed. */
export const leaving = <T extends Subscription>(parts: Set<T>, part: T): Subscription => {
  parts.add(part);
  return {
    async close() {
      parts.delete(part);
      await part.close();
    },
  };
};
