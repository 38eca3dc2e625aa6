/** Nothing was tried: as many as may wait for their turn do, or it did not come in time. */
export class BusyError extends Error {
  override name = 'BusyError';
}

export interface TurnLimits {
  atOnce: number;
  /** How many may wait for their turn; left out: any number, where what comes in is limited elsewhere. */
  waiting?: number;
  /** How long one may wait; left out: however long it takes. */
  longestMs?: number;
}

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** So many at once; the others wait for theirs. */
export function createTurns({ atOnce, waiting: most = Number.POSITIVE_INFINITY, longestMs }: TurnLimits): InTurn {
  let free = atOnce;
  const waiting = new Set<() => void>();
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(begin);
        reject(new BusyError(`Its turn did not come within ${longestMs} ms`));
      };
      const timer = longestMs === undefined ? undefined : setTimeout(giveUp, longestMs);
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(begin);
    });
  return async (work) => {
    if (free > 0) free--;
    else if (waiting.size >= most) throw new BusyError('As many as may wait for their turn do');
    else await turn();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else free++;
    }
  };
}
