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

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
