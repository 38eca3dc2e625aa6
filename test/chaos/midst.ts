import { expect } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Random } from '@ops/test-kit/random';
import type { System } from '@ops/test-system/system';

export type Blow = () => Promise<unknown>;

interface Midst {
  /** How much of it is done. */
  done: () => Promise<number>;
  /** No blow waits for more than this. */
  most: number;
  /** There is always more to come. */
  ofAll?: number;
  everyMs: number;
  /** Where it stands, for who reads that it did not go on. */
  standing: () => Promise<unknown>;
}

/** What was tried in vain five times, as by a notifier that found a row held, comes again ten minutes later. */
export const patienceMs = 900_000;

/** Each blow once as much is done as the seed says, and more than when the one before fell. */
export async function inTheMidst(random: Random, blows: readonly Blow[], midst: Midst): Promise<void> {
  const { done, most, ofAll = Number.POSITIVE_INFINITY, everyMs, standing } = midst;
  const moments = blows.map(() => 1 + random.below(most)).toSorted((one, other) => one - other);
  let before = 0;
  for (const [i, blow] of blows.entries()) {
    const enough = Math.min(Math.max(moments[i] as number, before + 1), most);
    before = await eventually(
      async () => {
        const much = await done();
        expect(much).toBeGreaterThanOrEqual(enough);
        return much;
      },
      { timeoutMs: patienceMs, everyMs },
    ).catch(async (cause) => {
      const stands = await standing().catch(String);
      throw new Error(`it does not go on: ${JSON.stringify(stands)}`, { cause });
    });
    expect(before).toBeLessThan(ofAll);
    await blow();
  }
}

type Owner = Parameters<System['database']>[0];

/** A row that somebody is changing, for as long as `work` takes: whoever comes to it waits. */
export function whileHeld<T>(
  system: System,
  { owner, table, row }: { owner: Owner; table: string; row: object },
  work: () => Promise<T>,
): Promise<T> {
  return system.database(owner).transaction(async (trx) => {
    await trx.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    await trx(table).where(row).forUpdate().select();
    return work();
  });
}
