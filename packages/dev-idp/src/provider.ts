import type { Logger } from '@ops/service-kit/logger';
import Provider, {
  type ClientMetadata,
  type Configuration,
  type KoaContextWithOIDC,
  type ResourceServer,
} from 'oidc-provider';
import type { Config } from './config.ts';
import { demoPersonGrant, personAskedFor, registerDemoPersonGrant } from './demo-person-grant.ts';
import type { Keys } from './keys.ts';
import { createMemoryStore } from './memory-store.ts';
import { errorPage, signedOutPage, signOutPage } from './pages.ts';
import { personOf } from './people.ts';

const hour = 60 * 60;
/** The one thing tokens are for. A resource indicator is a URI; the audience in the token is the configured name. */
export const resource = 'urn:ops:api';

export function createProvider(config: Config, keys: Keys, logger: Logger): Provider {
  const provider = new Provider(config.ISSUER, configuration(config, keys));
  registerDemoPersonGrant(provider, resource, resourceServer(config));
  provider.on('server_error', (_ctx, error) => logger.error({ err: error }, 'the identity provider failed'));
  return provider;
}

function configuration(config: Config, keys: Keys): Configuration {
  return {
    adapter: createMemoryStore(),
    jwks: { keys: [keys.signing] },
    cookies: {
      keys: keys.cookies,
      names: { session: 'demo_idp', interaction: 'demo_idp_step', resume: 'demo_idp_resume' },
    },
    clients: clients(config),
    clientBasedCORS: () => false,
    pkce: { required: () => true },
    scopes: ['openid'],
    claims: { openid: ['sub'], profile: ['name'] },
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    features: features(config),
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount,
    loadExistingGrant: grantEverything,
    extraTokenClaims: (ctx) => claimsOf(ctx, config),
    renderError: (ctx, out) => show(ctx, errorPage(out.error_description ?? out.error)),
    ttl: {
      AccessToken: 8 * hour,
      AuthorizationCode: 60,
      ClientCredentials: hour,
      Grant: 12 * hour,
      IdToken: hour,
      Interaction: hour,
      Session: 12 * hour,
    },
  };
}

function clients(config: Config): ClientMetadata[] {
  return [
    {
      client_id: config.CLIENT_ID,
      client_secret: config.CLIENT_SECRET,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [new URL('/auth/callback', config.GATEWAY_URL).href],
      post_logout_redirect_uris: [new URL('/', config.GATEWAY_URL).href],
    },
    {
      client_id: config.TOKEN_CLIENT_ID,
      client_secret: config.TOKEN_CLIENT_SECRET,
      grant_types: [demoPersonGrant],
      response_types: [],
      redirect_uris: [],
    },
    ...scheduler(config),
  ];
}

function scheduler({ SCHEDULER_CLIENT_ID, SCHEDULER_CLIENT_SECRET }: Config): ClientMetadata[] {
  if (!SCHEDULER_CLIENT_ID || !SCHEDULER_CLIENT_SECRET) return [];
  return [
    {
      client_id: SCHEDULER_CLIENT_ID,
      client_secret: SCHEDULER_CLIENT_SECRET,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    },
  ];
}

const features = (config: Config): Configuration['features'] => ({
  clientCredentials: { enabled: true },
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: (ctx, form) => show(ctx, signOutPage(form)),
    postLogoutSuccessSource: (ctx) => show(ctx, signedOutPage()),
  },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => resource,
    useGrantedResource: () => true,
    getResourceServerInfo: () => resourceServer(config),
  },
});

const resourceServer = (config: Config): ResourceServer => ({
  scope: '',
  audience: config.AUDIENCE,
  accessTokenFormat: 'jwt',
  accessTokenTTL: 8 * hour,
  jwt: { sign: { alg: 'RS256' } },
});

async function findAccount(_ctx: KoaContextWithOIDC, sub: string) {
  const person = personOf(sub);
  return person && { accountId: sub, claims: async () => ({ sub, name: person.name }) };
}

/** The demo asks nobody for consent: whoever signed in grants what the gateway asks for. */
async function grantEverything(ctx: KoaContextWithOIDC) {
  const { client, session, provider, params } = ctx.oidc;
  if (!client || !session?.accountId) return undefined;
  const kept = session.grantIdFor(client.clientId);
  const grant = (kept && (await provider.Grant.find(kept))) || undefined;
  if (grant) return grant;
  const fresh = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  fresh.addOIDCScope(String(params?.scope ?? 'openid'));
  fresh.addResourceScope(resource, '');
  await fresh.save();
  return fresh;
}

function claimsOf(ctx: KoaContextWithOIDC, { SCHEDULER_CLIENT_ID }: Config) {
  const { ClientCredentials: program } = ctx.oidc.entities;
  if (program) return program.clientId === SCHEDULER_CLIENT_ID ? { roles: ['scheduler'] } : undefined;
  const person = personAskedFor(ctx) ?? personOf(ctx.oidc.entities.Account?.accountId ?? '');
  return person && { name: person.name, roles: [person.role] };
}

function show(ctx: KoaContextWithOIDC, html: string): void {
  ctx.type = 'html';
  ctx.body = html;
}
