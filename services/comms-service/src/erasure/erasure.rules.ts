import type { ErasureOrder } from '@ops/contracts/internal-routes';

/** How it stands with whoever is to be erased. */
export interface Standing {
  id: string;
  /** Whom the id leads to. */
  home: string;
  /** Who leads to them, and who did when it was proposed. */
  aliases: readonly string[];
  proposed: readonly string[];
  isOnHold: boolean;
  isUnderWay: boolean;
  hasActiveRenewal: boolean;
}

/** Why nobody is erased now; undefined: nothing is against it. */
export function reasonAgainst(standing: Standing): string | undefined {
  const { id, home, isOnHold, isUnderWay, hasActiveRenewal } = standing;
  const since = standing.aliases.filter((one) => !standing.proposed.includes(one));
  if (home !== id) return `${id} was merged into ${home}; erase that one`;
  if (since.length > 0) return `${since.join(', ')} was merged into ${id} since it was proposed; propose it again`;
  if (isOnHold) return `${id} is on legal hold`;
  if (isUnderWay) return `A message to ${id} is under way`;
  return hasActiveRenewal ? `A renewal of ${id} is active` : undefined;
}

/** What they are found by. */
export type Sought = Pick<ErasureOrder, 'addresses' | 'records' | 'externals'>;

const most = 2_000;

/** Of somebody with whom much was said a portion at a time: no order is too large to be sent. */
export function portionsOf({ addresses, records, externals }: Sought): Sought[] {
  const portions = Math.max(1, Math.ceil(Math.max(records.length, externals.length) / most));
  return Array.from({ length: portions }, (_, n) => ({
    addresses,
    records: records.slice(n * most, (n + 1) * most),
    externals: externals.slice(n * most, (n + 1) * most),
  }));
}

/** What a round over all services came to. */
export interface Round {
  changed: number;
  waits: number;
  events: ReadonlySet<string>;
}

/**
 * Nothing was found, nothing is under way, and each service had known of all that was told before it looked: whatever somebody does with
 * what they heard earlier, they did before.
 */
export const isLast = ({ changed, waits, events }: Round, known: ReadonlySet<string>): boolean =>
  changed === 0 && waits === 0 && [...events].every((event) => known.has(event));
