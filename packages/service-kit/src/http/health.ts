import type { Express } from 'express';
import { unavailable } from '../errors.ts';
import type { Logger } from '../observing/logger.ts';
import type { Leave } from '../process/leave.ts';
import { withinTime } from '../within-time.ts';
import { jsonAnswer, sendAnswer } from './http-answers.ts';

export type Check = () => Promise<unknown>;

const checkTimeoutMs = 2_000;

/**
 * Ready means that every part a request needs answers now, within the time-out. What is down is named; why goes to the
 * log only. Callers that ask at once share one round of checks, so asking often costs the parts nothing.
 */
export function createReadiness(checks: Record<string, Check>, logger: Logger, timeoutMs = checkTimeoutMs): Check {
  let underWay: Promise<void> | undefined;
  const checkAll = async () => {
    const results = await Promise.all(
      Object.entries(checks).map(([name, check]) => failureOf(name, check, timeoutMs, logger)),
    );
    const down = results.filter((name) => name !== undefined);
    if (down.length > 0) throw unavailable(`Not reachable: ${down.join(', ')}`);
  };
  return () => {
    underWay ??= checkAll().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

async function failureOf(name: string, check: Check, timeoutMs: number, logger: Logger): Promise<string | undefined> {
  try {
    await withinTime(check(), timeoutMs);
    return undefined;
  } catch (error) {
    logger.warn({ err: error, part: name }, 'a part is not reachable');
    return name;
  }
}

/** Who asks before sending requests here shall send them elsewhere once we are leaving. */
export const unlessLeaving =
  ({ signal }: Pick<Leave, 'signal'>, ready: Check): Check =>
  async () => {
    if (signal.aborted) throw unavailable('About to stop');
    await ready();
  };

/** `/healthz`: the process is alive. `/readyz`: it can do its work. */
export function mountHealth(app: Express, ready: Check): void {
  app.get('/healthz', (_req, res) => sendAnswer(res, jsonAnswer(200, { status: 'alive' })));
  app.get('/readyz', async (_req, res) => {
    await ready();
    sendAnswer(res, jsonAnswer(200, { status: 'ready' }));
  });
}
