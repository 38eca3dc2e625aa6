import type { Actor } from '@ops/contracts/roles';
import { subject } from '@ops/contracts/text';
import { forbidden, unauthorised } from '@ops/service-kit/errors';
import { rememberVerified } from '@ops/service-kit/verified';
import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import type { DiscoveredProvider, IdentityProvider } from './identity-provider.ts';
import { roleOf } from './role.ts';

export interface Identity {
  actor: Actor;
  expiresAt: Date;
}

export interface AccessTokenRules {
  audience: string;
  clientId: string;
  roleClaim: string;
  /** However long its issuer lets it live. */
  mostHours: number;
}

/** Asymmetric only: with a shared-secret algorithm the public key itself would sign. */
const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const clockToleranceSeconds = 10;

/**
 * Reads whom an access token names. Throws 401 for anything not right about it, 403 when it is right and holds no role we
 * know, 503 while the identity provider could not yet be asked for its keys.
 */
export function createAccessTokenReader(provider: IdentityProvider, rules: AccessTokenRules) {
  const read = async (token: string): Promise<Identity> => {
    const { payload, protectedHeader } = await verify(token, await provider.discovered(), rules);
    if (!isAccessToken(protectedHeader, payload, rules)) throw unauthorised('This is not an access token for this API');
    return identityOf(payload, rules);
  };
  return rememberVerified(read, {
    endOf: ({ expiresAt }) => expiresAt.getTime(),
    edition: () => provider.known()?.keys.edition() ?? 0,
  });
}

async function verify(token: string, { keys, issuer }: DiscoveredProvider, { audience, mostHours }: AccessTokenRules) {
  try {
    return await jwtVerify(token, keys, {
      algorithms,
      issuer,
      audience,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', 'sub'],
      maxTokenAge: `${mostHours}h`,
    });
  } catch (error) {
    if (error instanceof errors.JWTExpired && error.claim === 'iat')
      throw unauthorised(`The token was issued more than ${mostHours} hours ago: ask for a new one`);
    if (error instanceof errors.JWTExpired) throw unauthorised('The token has expired');
    throw unauthorised('The token is not valid');
  }
}

const accessTokenTypes = ['jwt', 'at+jwt', 'application/at+jwt'];
/** Headers by which a token brings its own key, or says where to fetch one. Real tokens name a key by its id. */
const keysOfItsOwn = ['jwk', 'jku', 'x5c', 'x5u'];

function isAccessToken(
  header: JWTVerifyResult['protectedHeader'],
  payload: JWTPayload,
  rules: AccessTokenRules,
): boolean {
  const typ = header.typ?.toLowerCase() ?? 'jwt';
  if (!accessTokenTypes.includes(typ) || keysOfItsOwn.some((name) => name in header)) return false;
  return typ !== 'jwt' || !looksLikeIdToken(payload, rules);
}

/** Not every provider marks access tokens (`at+jwt`), so what only an ID token carries has to tell them apart. */
function looksLikeIdToken(payload: JWTPayload, { clientId }: AccessTokenRules): boolean {
  const marks = ['nonce', 'at_hash', 'c_hash', 's_hash'].some((claim) => claim in payload);
  const declared = payload.typ === 'ID' || payload.token_use === 'id';
  return marks || declared || [payload.aud].flat().includes(clientId);
}

function identityOf(payload: JWTPayload, { roleClaim, mostHours }: AccessTokenRules): Identity {
  const sub = subject.safeParse(payload.sub);
  if (!sub.success || payload.exp === undefined || payload.iat === undefined)
    throw unauthorised('The token names nobody');
  const granted = roleOf(payload, roleClaim);
  if (!granted) throw forbidden('The token holds no role that is known here');
  const actor = withClient(withName({ sub: sub.data, ...granted }, payload.name), payload.azp ?? payload.client_id);
  return { actor, expiresAt: new Date(Math.min(payload.exp, payload.iat + mostHours * 3_600) * 1_000) };
}

/** Only for showing, so one that cannot be shown is left out; bounded, since it travels in headers and cookies. */
export function withName(actor: Actor, name: unknown): Actor {
  const shown = cut(name);
  return shown.success ? { ...actor, name: shown.data } : actor;
}

/** Written down beside what is changed, and decides nothing. */
function withClient(actor: Actor, client: unknown): Actor {
  const told = cut(client);
  return told.success ? { ...actor, client: told.data } : actor;
}

const cut = (text: unknown) => subject.safeParse(typeof text === 'string' ? text.slice(0, 200) : undefined);
