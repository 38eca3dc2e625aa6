import { forbidden, ProblemError } from '@ops/service-kit/errors';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import * as oidc from 'openid-client';
import { z } from 'zod';
import { type Identity, withName } from './access-token.ts';
import { type Cookie, createCookie } from './cookies.ts';
import { requireOwnPage } from './csrf.ts';
import type { DiscoveredProvider, IdentityProvider } from './identity-provider.ts';
import { returnAddress } from './return-to.ts';
import type { Sealer } from './sealed.ts';
import type { Session, Sessions } from './session.ts';

export interface SignInOptions {
  provider: IdentityProvider;
  readAccessToken: (token: string) => Promise<Identity>;
  sessions: Sessions;
  sealer: Sealer;
  publicUrl: URL;
  scope: string;
  /** After which a person has to show again who they are. */
  hours: number;
}

const purpose = 'sign-in';
const longestSignInMs = 600_000;

/** What has to come back with the answer of the identity provider, kept by the browser that set out. */
const departure = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  return_to: z.string(),
  /** From when on the person must have shown who they are, in seconds. */
  since: z.number(),
});
type Departure = z.infer<typeof departure>;

/** Sign-in of browsers by authorisation code with PKCE, and sign-out here and at the identity provider. */
export function signInRoutes(options: SignInOptions): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const departures = createCookie('ops_sign_in', options.publicUrl.protocol === 'https:');
  router.get('/auth/login', setOut(options, departures));
  router.get('/auth/callback', comeBack(options, departures));
  const form = express.urlencoded({ extended: false, limit: '4kb', inflate: false });
  router.post('/auth/logout', form, signOut(options));
  return router;
}

function setOut({ provider, sealer, publicUrl, scope, hours }: SignInOptions, departures: Cookie): RequestHandler {
  const callback = new URL('/auth/callback', publicUrl).href;
  return async (req, res) => {
    const { client } = await provider.discovered();
    // What is asked again is asked of the person, not of the session they have at the identity provider.
    const oldest = req.query.again === undefined ? hours * 3_600 : 0;
    const way: Departure = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
      return_to: returnAddress(req.query.return_to, publicUrl.origin),
      since: Math.floor(Date.now() / 1000) - oldest,
    };
    const expires = new Date(Date.now() + longestSignInMs);
    departures.write(res, await sealer.seal(purpose, way, expires), expires);
    res.redirect(303, (await authorizationUrl(client, way, { callback, scope, oldest })).href);
  };
}

function comeBack(options: SignInOptions, departures: Cookie): RequestHandler {
  const { provider, readAccessToken, sessions, sealer, publicUrl } = options;
  return async (req, res) => {
    const found = await provider.discovered();
    const way = departure.safeParse(await sealer.open(purpose, departures.read(req) ?? ''));
    departures.clear(res);
    if (!way.success) throw expired();
    const tokens = await exchange(found, new URL(req.originalUrl, publicUrl), way.data);
    const identity = await readAccessToken(tokens.access_token);
    const claims = tokens.claims();
    if (!namesByClient(found) && claims?.sub !== identity.actor.sub)
      throw forbidden('The identity provider named two different people');
    await sessions.begin(req, res, {
      identity: named(identity, claims?.name),
      signedInAt: signedInAt(claims, way.data),
      idToken: tokens.id_token,
    });
    res.redirect(303, way.data.return_to);
  };
}

function signOut({ provider, sessions, publicUrl }: SignInOptions): RequestHandler {
  return async (req, res) => {
    const session = await sessions.read(req);
    if (session) requireOwnPage(req, givenToken(req), session.csrf, publicUrl.origin);
    await sessions.end(res, session);
    leave(req, res, goodbye(provider.known(), session, publicUrl));
  };
}

async function authorizationUrl(
  client: oidc.Configuration,
  way: Departure,
  { callback, scope, oldest }: { callback: string; scope: string; oldest: number },
): Promise<URL> {
  return oidc.buildAuthorizationUrl(client, {
    redirect_uri: callback,
    scope,
    state: way.state,
    nonce: way.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(way.verifier),
    code_challenge_method: 'S256',
    max_age: String(oldest),
    ...(oldest === 0 && { prompt: 'login' }),
  });
}

const clockToleranceSeconds = 60;

/** When the person last showed who they are, if it is told: a browser can strike out of its way that this was asked for. */
function signedInAt(claims: oidc.IDToken | undefined, { since }: Departure): Date | undefined {
  const told = claims?.auth_time;
  if (told === undefined) return undefined;
  if (told + clockToleranceSeconds < since)
    throw forbidden('The identity provider let you in without asking who you are; sign out there, then start again');
  return new Date(told * 1000);
}

async function exchange({ client }: DiscoveredProvider, answer: URL, way: Departure) {
  try {
    return await oidc.authorizationCodeGrant(client, answer, {
      expectedState: way.state,
      expectedNonce: way.nonce,
      pkceCodeVerifier: way.verifier,
      idTokenExpected: true,
    });
  } catch (error) {
    throw new ProblemError(400, 'sign_in_failed', {
      detail: 'The sign-in could not be finished; start again',
      cause: error,
    });
  }
}

/**
 * Some providers know a person by another `sub` at each client, and the API is another than the one people sign in at.
 * What is left of the check then is that both tokens came in one answer to our own secret.
 */
function namesByClient({ client }: DiscoveredProvider): boolean {
  const types = client.serverMetadata().subject_types_supported ?? [];
  return types.length > 0 && types.every((type) => type === 'pairwise');
}

/** Some providers put the name into the ID token alone. */
const named = (identity: Identity, name: unknown): Identity =>
  identity.actor.name === undefined ? { ...identity, actor: withName(identity.actor, name) } : identity;

const expired = () =>
  new ProblemError(400, 'sign_in_expired', {
    detail: 'This sign-in has expired, or was begun in another browser; start again',
  });

/** The session's token; a form of ours carries it in a field, since a form sends no headers. */
function givenToken(req: Request): string | undefined {
  const field: unknown = req.body?.csrf_token;
  return req.get('X-CSRF-Token') ?? (typeof field === 'string' ? field : undefined);
}

function goodbye(found: DiscoveredProvider | undefined, session: Session | undefined, publicUrl: URL): string {
  const home = new URL('/', publicUrl).href;
  if (!session || !found?.client.serverMetadata().end_session_endpoint) return home;
  const hint = session.idToken === undefined ? {} : { id_token_hint: session.idToken };
  return oidc.buildEndSessionUrl(found.client, { post_logout_redirect_uri: home, ...hint }).href;
}

/** A page's script cannot follow a redirect to another origin, so it is told the address. */
function leave(req: Request, res: Response, address: string): void {
  if (req.accepts(['html', 'json']) === 'json') res.json({ redirect_to: address });
  else res.redirect(303, address);
}
