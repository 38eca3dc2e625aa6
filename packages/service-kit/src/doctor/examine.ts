import { withinTime } from '../within-time.ts';
import { type Check, failed, type Line } from './finding.ts';
import { reasonOf } from './reason.ts';

/** All at once, each within its time, told in the order given. */
export async function examine(checks: readonly Check[], timeoutMs: number): Promise<Line[]> {
  const lines = checks.map(async ({ name, fix, run }) => {
    try {
      return await withinTime(run(), timeoutMs);
    } catch (error) {
      return [failed(name, reasonOf(error), fix)];
    }
  });
  return (await Promise.all(lines)).flat();
}
