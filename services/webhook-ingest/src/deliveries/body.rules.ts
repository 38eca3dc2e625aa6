/** How long a body may take to come. */
export interface BodyPace {
  /** Nothing came for so long. */
  mostSilentMs: number;
  /** For any body. */
  graceMs: number;
  /** What came buys this much more time. */
  slowestBytesPerSecond: number;
  /** However large it is. */
  mostMs: number;
}

/**
 * A mail of 11 MiB fits through a line of 2 Mbit/s. The end comes before that of the server, at 60 s, which would answer
 * 408: some providers drop a mail for any 4xx.
 */
export const usualPace: BodyPace = {
  mostSilentMs: 10_000,
  graceMs: 10_000,
  slowestBytesPerSecond: 256 * 1024,
  mostMs: 55_000,
};

export interface Progress {
  beganAt: number;
  heardAt: number;
  bytes: number;
}

/** When it is too late, unless more comes until then. */
export function lateAt({ beganAt, heardAt, bytes }: Progress, pace: BodyPace): number {
  const bought = (bytes / pace.slowestBytesPerSecond) * 1000;
  return Math.min(heardAt + pace.mostSilentMs, beganAt + Math.min(pace.mostMs, pace.graceMs + bought));
}
