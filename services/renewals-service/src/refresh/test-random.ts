export interface Random {
  below(n: number): number;
  pick<T>(from: readonly T[]): T;
}

/** mulberry32: the same seed gives the same run. */
export function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, pick: (from) => from[below(from.length)] as (typeof from)[number] };
}
