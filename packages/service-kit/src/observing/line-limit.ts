const minuteMs = 60_000;

/** Whether one more line may be written: so many a minute, and of the rest their number once the minute is over. */
export function createLineLimit(perMinute: number, tellLeftOut: (lines: number) => void): () => boolean {
  let endsAt = 0;
  let asked = 0;
  return () => {
    if (Date.now() >= endsAt) {
      if (asked > perMinute) tellLeftOut(asked - perMinute);
      endsAt = Date.now() + minuteMs;
      asked = 0;
    }
    asked += 1;
    return asked <= perMinute;
  };
}
