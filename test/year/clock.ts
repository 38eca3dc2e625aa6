/** One for all services. No two readings are of the same moment. */
export interface Clock {
  now(): Date;
  today(): string;
  /** Goes on to that moment, unless it is there already. */
  to(at: Date): void;
}

export function clockFrom(start: string): Clock {
  let at = Date.parse(start);
  return {
    now: () => new Date(at++),
    today: () => new Date(at).toISOString().slice(0, 10),
    to: (next) => {
      at = Math.max(at, next.getTime());
    },
  };
}
