import { problem } from '@ops/contracts/problem';
import { type RefreshRun, refreshRun } from '@ops/contracts/resources/refresh';
import { routes } from '@ops/contracts/routes';
import { baseConfig } from '@ops/service-kit/config';
import type { Logger } from '@ops/service-kit/logger';
import { address } from '@ops/service-kit/service-addresses';
import { tlsSettings } from '@ops/service-kit/tls-settings';
import * as oidc from 'openid-client';
import { z } from 'zod';

export const nightlyRefreshConfig = z.object({
  LOG_LEVEL: baseConfig.shape.LOG_LEVEL,
  GATEWAY_URL: address,
  TLS_CA: tlsSettings.shape.TLS_CA,
  /** Where the identity provider gives tokens to programs. */
  OIDC_TOKEN_URL: address,
  OIDC_CLIENT_ID: z.string().min(1),
  OIDC_CLIENT_SECRET: z.string().min(1),
  /** Some providers want to be told what the token is for by a scope, some by an audience. */
  OIDC_SCOPE: z.string().min(1).optional(),
  OIDC_AUDIENCE: z.string().min(1).optional(),
});
export type NightlyRefreshConfig = z.infer<typeof nightlyRefreshConfig>;

/** Well above what the gateway itself waits. */
const answerWithinMs = 60_000;

/**
 * Has today's refresh run, as any client of the gateway may that holds the role `scheduler`, and answers it completed;
 * rejects otherwise. A refresh takes as long as it takes, an answer does not: one that says RUNNING is followed by asking
 * again, which joins what runs and waits for it as long as an answer may take.
 */
export async function completeRefresh(config: NightlyRefreshConfig, logger: Logger): Promise<RefreshRun> {
  for (;;) {
    const run = await askForRefresh(config, await requestToken(config));
    if (run.status === 'COMPLETED') return run;
    if (run.status !== 'RUNNING') throw new Error(`refresh ${run.run_id} is ${run.status}`);
    logger.info({ run_id: run.run_id, remaining: run.remaining }, 'the refresh goes on');
  }
}

async function askForRefresh({ GATEWAY_URL }: NightlyRefreshConfig, token: string): Promise<RefreshRun> {
  const { method, path } = routes.runRefresh;
  const response = await fetch(new URL(path, GATEWAY_URL), {
    method,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(answerWithinMs),
    redirect: 'error',
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the gateway answered ${response.status}${reasonIn(text)}`);
  return refreshRun.parse(JSON.parse(text));
}

/**
 * The reason in an error, if it is a problem document: a proxy in front of the gateway may answer with something else.
 */
function reasonIn(text: string): string {
  try {
    const { code, detail } = problem.parse(JSON.parse(text));
    return `, ${code}: ${detail}`;
  } catch {
    return '';
  }
}

async function requestToken(config: NightlyRefreshConfig): Promise<string> {
  const { OIDC_TOKEN_URL: token_endpoint, OIDC_SCOPE: scope, OIDC_AUDIENCE: audience } = config;
  const provider = { issuer: token_endpoint, token_endpoint };
  const authentication = oidc.ClientSecretBasic(config.OIDC_CLIENT_SECRET);
  const client = new oidc.Configuration(provider, config.OIDC_CLIENT_ID, undefined, authentication);
  if (new URL(token_endpoint).protocol === 'http:') oidc.allowInsecureRequests(client);
  const { access_token } = await oidc.clientCredentialsGrant(client, {
    ...(scope && { scope }),
    ...(audience && { audience }),
  });
  return access_token;
}
