const minuteMs = 60_000;

/** Whether one more line may be written: so many a minute, and of the rest their number when it ends. */
export function createLineLimit(perMinute: number, tellLeftOut: (lines: number) => void): () => boolean {
  let asked = 0;
  const begin = () => {
    const end = () => {
      if (asked > perMinute) tellLeftOut(asked - perMinute);
      asked = 0;
    };
    setTimeout(end, minuteMs).unref();
  };
  return () => {
    if (asked === 0) begin();
    asked += 1;
    return asked <= perMinute;
  };
}
