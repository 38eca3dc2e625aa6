/** Both meet the same moments of the machine. */
export async function inTurns<S, F>(
  rounds: number,
  system: (round: number) => Promise<S>,
  floor: (round: number) => Promise<F>,
): Promise<{ system: S[]; floor: F[] }> {
  const measured: { system: S[]; floor: F[] } = { system: [], floor: [] };
  for (let round = 1; round <= rounds; round++) {
    measured.system.push(await system(round));
    measured.floor.push(await floor(round));
  }
  return measured;
}

export function median(all: readonly number[]): number {
  const sorted = all.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [before, after] = [sorted[middle - 1] ?? Number.NaN, sorted[middle] ?? Number.NaN];
  return sorted.length % 2 === 1 ? after : (before + after) / 2;
}

export const medianOf = <T>(all: readonly T[], of: (one: T) => number): number => median(all.map(of));

export interface Spread {
  p50: number;
  p99: number;
  p999: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const percentile = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50: percentile(0.5), p99: percentile(0.99), p999: percentile(0.999) };
}

export const describeSpread = ({ p50, p99, p999 }: Spread): string =>
  `p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)}, p99.9 ${p999.toFixed(0)} ms`;
