import { unavailable } from '@ops/service-kit/errors';
import type { Logger } from '@ops/service-kit/logger';
import * as oidc from 'openid-client';
import { createKeySource, type KeySource } from './key-source.ts';

export interface DiscoveredProvider {
  issuer: string;
  client: oidc.Configuration;
  keys: KeySource;
  /** Where a sign-out leads. */
  signOutOrigin: string;
}

export interface IdentityProvider {
  /** What discovery found. Throws 503 while the provider could never yet be reached. */
  discovered(): Promise<DiscoveredProvider>;
  /** The same without waiting; undefined until discovery worked once. */
  known(): DiscoveredProvider | undefined;
}

export interface IdentityProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string;
  logger: Logger;
  /** Least time between two attempts while the provider is away. */
  retryMs?: number;
  now?: () => number;
}

/** Discovers the OpenID provider on first need and keeps what it found; several callers share one attempt. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { logger, retryMs = 1000, now = Date.now } = options;
  let found: DiscoveredProvider | undefined;
  let attempt: Promise<DiscoveredProvider> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;

  const start = () => {
    attempt = discover(options)
      .then((provider) => {
        found = provider;
        return provider;
      })
      .catch((error) => {
        failedAt = now();
        logger.warn({ err: error }, 'the identity provider cannot be reached');
        throw unavailable('The identity provider cannot be reached at the moment');
      })
      .finally(() => {
        attempt = undefined;
      });
    return attempt;
  };
  return {
    known: () => found,
    async discovered() {
      if (found) return found;
      if (attempt) return attempt;
      if (now() - failedAt < retryMs) throw unavailable('The identity provider cannot be reached at the moment');
      return start();
    },
  };
}

async function discover({
  issuer,
  clientId,
  clientSecret,
  logger,
  now,
}: IdentityProviderOptions): Promise<DiscoveredProvider> {
  const address = new URL(issuer);
  const client = await oidc.discovery(address, clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    timeout: 10,
    execute: address.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
  });
  const { jwks_uri, issuer: name, end_session_endpoint } = client.serverMetadata();
  if (!jwks_uri) throw new Error('the identity provider publishes no signing keys');
  const keys = createKeySource(new URL(jwks_uri), { logger, ...(now && { now }) });
  await keys.load();
  return { issuer: name, client, keys, signOutOrigin: new URL(end_session_endpoint ?? issuer).origin };
}
