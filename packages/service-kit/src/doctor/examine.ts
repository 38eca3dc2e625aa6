import { withinTime } from '../within-time.ts';
import { type Check, failed, type Line } from './finding.ts';
import { reasonOf } from './reason.ts';

/** Whoever it is that is asked. */
const certificateFix =
  'its certificate must be valid, for the name in the address, and of a known authority (NODE_EXTRA_CA_CERTS adds one)';

/** All at once, each within its time, told in the order given. */
export async function examine(checks: readonly Check[], timeoutMs: number): Promise<Line[]> {
  const lines = checks.map(async ({ name, fix, run }) => {
    try {
      return await withinTime(run(), timeoutMs);
    } catch (error) {
      const reason = reasonOf(error);
      return [failed(name, reason, /certificate/i.test(reason) ? certificateFix : fix)];
    }
  });
  return (await Promise.all(lines)).flat();
}
