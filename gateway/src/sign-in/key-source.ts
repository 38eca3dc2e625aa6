import type { Logger } from '@ops/service-kit/logger';
import { type CryptoKey, createRemoteJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from 'jose';

/** Finds the key a token names. */
export interface KeySource {
  (header?: JWSHeaderParameters, token?: FlattenedJWSInput): Promise<CryptoKey>;
  /** Reads the keys now; rejects when the identity provider does not give them. */
  load(): Promise<void>;
  /** Which reading of the keys is in force. Like every look at them it has them read again when they are old. */
  edition(): number;
}

export interface KeySourceOptions {
  logger: Logger;
  /** Age at which keys are read again, meanwhile the ones at hand are used. */
  refreshMs?: number;
  /** Least time between two readings, so that tokens with made-up key ids cannot make us hammer the provider. */
  cooldownMs?: number;
  now?: () => number;
}

/**
 * The provider's published keys. Once read they serve on while the provider is away: people stay signed in through its
 * restart. The policy is ours because jose's own lets every request fail when a refresh does, and repeats a failing
 * refresh for each unknown key id.
 */
export function createKeySource(address: URL, options: KeySourceOptions): KeySource {
  const { logger, refreshMs = 600_000, cooldownMs = 30_000, now = Date.now } = options;
  const remote = createRemoteJWKSet(address, { cacheMaxAge: Infinity, cooldownDuration: Infinity });
  let edition = 0;
  let loadedAt = Number.NEGATIVE_INFINITY;
  let attemptedAt = Number.NEGATIVE_INFINITY;

  const load = async () => {
    if (!remote.reloading) attemptedAt = now();
    await remote.reload();
    edition += 1;
    loadedAt = now();
  };
  const rested = () => now() - attemptedAt >= cooldownMs;
  const refreshWhenOld = () => {
    if (now() - loadedAt < refreshMs || !rested()) return;
    load().catch((error) =>
      logger.warn({ err: error }, 'signing keys could not be read again; the known ones serve on'),
    );
  };
  const find: KeySource = Object.assign(
    async (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => {
      refreshWhenOld();
      try {
        return await remote(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !(remote.reloading || rested())) throw error;
        await load().catch(() => Promise.reject(error));
        return await remote(header, token);
      }
    },
    {
      load,
      edition: () => {
        refreshWhenOld();
        return edition;
      },
    },
  );
  return find;
}
