import { withinTime } from '../within-time.ts';
import { causeOf } from './cause.ts';
import { type Check, failed, type Line } from './finding.ts';

/** What to do about a certificate, whoever was asked. */
const certificateFix =
  'its certificate must be valid, for the name in the address, and of a known authority (TLS_CA_FILE adds one)';

/** All at once, each within its time, told in the order given. */
export async function examine(checks: readonly Check[], timeoutMs: number): Promise<Line[]> {
  const lines = checks.map(async ({ name, fix, run }) => {
    try {
      return await withinTime(run(), timeoutMs);
    } catch (error) {
      const reason = causeOf(error);
      return [failed(name, reason, /certificate/i.test(reason) ? certificateFix : fix)];
    }
  });
  return (await Promise.all(lines)).flat();
}
