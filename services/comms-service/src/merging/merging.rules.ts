/** What was decided last of a customer who was merged once. */
export interface Alias {
  customer_id: string;
  /** Null: it was taken back. */
  merged_into: string | null;
  version: number;
  merged_at: string;
  link_id: string;
}

/** Two ids, and whom each leads to. */
export interface Pair {
  id: string;
  home: string;
  into: string;
  intoHome: string;
}

export type MergeDecision = 'merge' | 'same' | 'itself' | 'own' | 'elsewhere';

export function decideMerge({ id, home, into, intoHome }: Pair): MergeDecision {
  if (into === id) return 'itself';
  if (home !== id) return home === intoHome ? 'same' : 'elsewhere';
  return intoHome === id ? 'own' : 'merge';
}

const undoneForMs = 30 * 86_400_000;

/** Why a merge stays; undefined: it may be taken back. `later`: whom the survivor was merged into since. */
export function reasonAgainstUndoing(
  { merged_into, merged_at }: Alias,
  later: string | null,
  now: Date,
): string | undefined {
  if (later !== null) return `${merged_into} was merged into ${later} since; take that back first`;
  const isOver = now.getTime() > Date.parse(merged_at) + undoneForMs;
  return isOver ? `It was merged on ${merged_at.slice(0, 10)}, and can be taken back for 30 days` : undefined;
}
