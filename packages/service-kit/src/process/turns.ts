/** Nothing was tried, since as many as may wait for their turn do. */
export class BusyError extends Error {
  override name = 'BusyError';
}

export interface TurnLimits {
  atOnce: number;
  /** How many may wait for their turn; left out: any number, where what comes in is limited elsewhere. */
  waiting?: number;
}

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** So many at once; the others wait for theirs. */
export function createTurns({ atOnce, waiting: most = Number.POSITIVE_INFINITY }: TurnLimits): InTurn {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else if (waiting.length >= most) throw new BusyError('As many as may wait for their turn do');
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
