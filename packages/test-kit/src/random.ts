import { seededRandom } from '@ops/provider-sim/random';

export interface Random {
  below(n: number): number;
  pick<T>(from: readonly T[]): T;
}

/** The same seed gives the same run. */
export function seeded(seed: number): Random {
  const next = seededRandom(seed);
  const below = (n: number) => Math.floor(next() * n);
  return { below, pick: (from) => from[below(from.length)] as (typeof from)[number] };
}
