import { isNativeError } from 'node:util/types';
import { ProblemError } from '@ops/service-kit/errors';
import type { Logger } from '@ops/service-kit/logger';
import type { Provider, RawRequest, Verdict } from '../providers/provider.ts';

/** Who is turned away: the same answer to everybody, whatever was wrong. */
export interface Refusals {
  /** Throws the 401 of a request that its provider did not sign. */
  verify(provider: Provider, request: RawRequest): Promise<Proof>;
  refused(provider: Provider, reason: string): ProblemError;
}

/** Of a request that its provider signed. `late`: why it is refused all the same, once it is kept. */
interface Proof {
  replayKey: string | null;
  late?: string;
}

/** Each reason is told once: who keeps knocking must not fill the log, but a secret set wrong must be seen. */
export function createRefusals(logger: Logger): Refusals {
  const told = new Set<string>();
  const refused = (provider: Provider, reason: string) => {
    const key = `${provider.name}: ${reason}`;
    if (!told.has(key) && told.size < mostTold) {
      told.add(key);
      logger.warn({ provider: provider.name, reason }, 'a webhook was refused; the next for this reason is not logged');
    }
    return unauthentic(provider);
  };
  return {
    refused,
    async verify(provider, request) {
      const verdict = await verdictOf(provider, request);
      if (verdict.ok) return { replayKey: verdict.replayKey ?? null };
      if (verdict.lateKey === undefined) throw refused(provider, verdict.reason);
      return { replayKey: verdict.lateKey, late: verdict.reason };
    },
  };
}

const mostTold = 100;

const unauthentic = (provider: Provider) =>
  new ProblemError(401, 'unauthorised', {
    detail: 'It does not show that the provider sent it',
    headers: { 'WWW-Authenticate': provider.proof === 'header' ? 'Basic realm="webhooks"' : 'Signature' },
  });

/** What cannot be checked was not signed. */
async function verdictOf(provider: Provider, request: RawRequest): Promise<Verdict> {
  try {
    return await provider.verify(request);
  } catch {
    return { ok: false, reason: 'it could not be checked' };
  }
}

/** The index decides, so two that race with one key cannot both win. */
export const isReplay = (error: unknown): boolean =>
  isNativeError(error) && 'constraint' in error && error.constraint === 'deliveries_replay_key';
