export interface PaceLimits {
  /** Messages a second, on average; as many may go at once after a pause. */
  perSecond: number;
  /** Most in work at a time. */
  atOnce: number;
  /** So many troubled sends in a row, and the provider is left alone for a while. */
  failures: number;
  coolDownMs: number;
}

type Ending = { provider: 'answered' | 'not_asked' | 'in_trouble'; retryAfterMs?: number | undefined };

/**
 * How many messages may be taken to a provider now. It is asked before anything is claimed, so that what has to wait
 * waits in the table, where it is seen and survives, and not in a process.
 */
export interface Pace {
  allowance(nowMs: number): number;
  taken(count: number): void;
  ended(ending: Ending, nowMs: number): void;
  /** Whether the provider is left alone, but for one message at a time that finds out. */
  leftAlone(): boolean;
}

export function createPace(limits: PaceLimits, startMs: number): Pace {
  const bucket = createBucket(limits.perSecond, startMs);
  const breaker = createBreaker(limits);
  let inWork = 0;
  return {
    allowance(nowMs) {
      const room = Math.min(bucket.left(nowMs), limits.atOnce - inWork);
      if (!breaker.isOpen()) return Math.max(0, room);
      return breaker.mayProbe(nowMs) && inWork === 0 ? Math.min(1, room) : 0;
    },
    taken(count) {
      inWork += count;
      bucket.take(count);
    },
    ended(ending, nowMs) {
      inWork -= 1;
      breaker.heard(ending, nowMs);
    },
    leftAlone: breaker.isOpen,
  };
}

/** Fills steadily, up to what a second allows. */
function createBucket(perSecond: number, startMs: number) {
  const most = Math.max(1, perSecond);
  let tokens = most;
  let filledAt = startMs;
  return {
    left(nowMs: number): number {
      tokens = Math.min(most, tokens + (Math.max(0, nowMs - filledAt) / 1000) * perSecond);
      filledAt = nowMs;
      return Math.floor(tokens);
    },
    take(count: number) {
      tokens -= count;
    },
  };
}

/**
 * A provider rests no longer than this, however long it asks for: its answer may be a mistake, and nobody would ever
 * find out.
 */
const longestRestMs = 3_600_000;

/** Opens after too many failures in a row; after the cool-down one message finds out, and every answer closes it. */
function createBreaker({ failures, coolDownMs }: PaceLimits) {
  let inARow = 0;
  let openUntil: number | undefined;
  return {
    isOpen: () => openUntil !== undefined,
    mayProbe: (nowMs: number) => openUntil !== undefined && nowMs >= openUntil,
    heard({ provider, retryAfterMs = 0 }: Ending, nowMs: number) {
      if (provider === 'not_asked') return;
      inARow = provider === 'answered' ? 0 : inARow + 1;
      const restMs = Math.max(coolDownMs, Math.min(retryAfterMs, longestRestMs));
      openUntil = inARow < failures ? undefined : nowMs + restMs;
    },
  };
}
