import { causeOf } from '@ops/service-kit/doctor/cause';
import { type Check, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import { ask, clockOf, jsonOf } from '@ops/service-kit/doctor/question';
import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';

const name = 'identity provider';

const metadata = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.string(),
  token_endpoint: z.string().optional(),
});
type Metadata = z.infer<typeof metadata>;

/** Who signs people in is found, is who it says it is, shows its keys, and knows this client. */
export const identityProviderCheck = (config: GatewayConfig, timeoutMs: number): Check => ({
  name,
  fix: `is ${config.OIDC_ISSUER} up, and can this machine reach it? It is OIDC_ISSUER`,
  run: () => examined(config, timeoutMs),
});

async function examined(config: GatewayConfig, timeoutMs: number): Promise<Line[]> {
  const { OIDC_ISSUER: issuer } = config;
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await ask(url, timeoutMs);
  const found = metadata.safeParse(jsonOf(answer.body)).data;
  if (answer.status !== 200 || !found) {
    const said = `${url} answered ${answer.status} and not with its metadata`;
    return [
      failed(name, said, 'OIDC_ISSUER is the address of the issuer as its tokens name it, without /.well-known/...'),
    ];
  }
  const clock = clockOf(url, answer);
  // An issuer that is not the one configured is not shown the client's secret.
  const wrong = wrongIssuer(found, issuer);
  if (wrong) return [wrong, ...clock];
  const client = found.token_endpoint ? await clientLines(config, found.token_endpoint, timeoutMs) : [];
  return [await keysLine(found, issuer, timeoutMs), ...client, ...clock];
}

function wrongIssuer({ issuer: said }: Metadata, given: string): Line | undefined {
  if (said.replace(/\/$/, '') === given.replace(/\/$/, '')) return undefined;
  return failed(
    name,
    `${given} calls itself ${said}`,
    `set OIDC_ISSUER to ${said}, to the letter: tokens are compared with it`,
  );
}

const keySet = z.looseObject({ keys: z.array(z.unknown()).min(1) });

async function keysLine({ jwks_uri }: Metadata, issuer: string, timeoutMs: number): Promise<Line> {
  const fix = `the gateway must reach ${jwks_uri} as well, or it can verify no token`;
  try {
    const answer = await ask(jwks_uri, timeoutMs);
    const keys = keySet.safeParse(jsonOf(answer.body)).data?.keys;
    if (answer.status !== 200 || !keys) return failed(name, `${jwks_uri} answered ${answer.status} and no keys`, fix);
    return ok(name, `${issuer} shows ${keys.length} ${keys.length === 1 ? 'key' : 'keys'}`);
  } catch (error) {
    return failed(name, `${jwks_uri}: ${causeOf(error)}`, fix);
  }
}

const clientName = 'client at the identity provider';
const refusal = z.looseObject({ error: z.string() });

/**
 * A code that nobody was given is exchanged, as after a sign-in: who knows this client refuses the code
 * (`invalid_grant`), who does not, the client (RFC 6749, 5.2). Nothing is granted either way.
 */
async function clientLines(config: GatewayConfig, endpoint: string, timeoutMs: number): Promise<Line[]> {
  const credentials = [config.OIDC_CLIENT_ID, config.OIDC_CLIENT_SECRET].map(encodeURIComponent).join(':');
  const answer = await ask(endpoint, timeoutMs, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'doctor',
      redirect_uri: new URL('/auth/callback', config.PUBLIC_URL).href,
      code_verifier: 'doctor-doctor-doctor-doctor-doctor-doctor-doctor',
    }),
  }).catch(() => undefined);
  return answer ? [clientLine(answer.status, refusal.safeParse(jsonOf(answer.body)).data?.error, config)] : [];
}

function clientLine(status: number, error: string | undefined, { OIDC_CLIENT_ID: id }: GatewayConfig): Line {
  if (error === 'invalid_grant') return ok(clientName, `${id} is known with its secret`);
  if (error === 'invalid_client' || status === 401)
    return failed(
      clientName,
      `${id} is refused`,
      'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be those the identity provider has for this client',
    );
  if (error === 'unauthorized_client')
    return failed(
      clientName,
      `${id} may not sign people in`,
      'allow this client the authorization code grant at the identity provider',
    );
  return warning(
    clientName,
    `a made-up code was answered with ${error ?? status}, which says nothing of the client`,
    'sign in once: /auth/login',
  );
}
