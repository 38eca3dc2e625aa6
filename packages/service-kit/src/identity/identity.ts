import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type Actor, role } from '@ops/contracts/roles';
import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { unauthorised } from '../errors.ts';
import { rememberVerified } from './verified.ts';

/** Carries who acts from process to process; the gateway strips whatever comes under this name from outside. */
export const identityHeader = 'x-ops-identity';

/** By which a service that people ask tells others so: what they do in bulk gives way to people then. */
export const peopleHeader = 'x-ops-people';

const algorithm = 'EdDSA';
const tokenType = 'ops-identity+jwt';
const lifetimeSeconds = 60;
const reusedForMs = 30_000;
const mostCached = 1_000;

export type IdentitySigner = (actor: Actor, audience: string) => Promise<string>;
export type IdentityVerifier = (token: string | undefined) => Promise<Caller>;

/** Who acts, and which process says so. */
export interface Caller {
  actor: Actor;
  via: string;
}

interface Jwk {
  kid: string;
  [member: string]: unknown;
}

/** Signs with the process's own key. A token lives 60 s and is used again for 30 s, so a burst costs one signature. */
export function createIdentitySigner(privateJwk: string, now: () => number = Date.now): IdentitySigner {
  const jwk: Jwk = JSON.parse(privateJwk);
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const cache = new Map<string, { token: Promise<string>; until: number }>();
  return (actor, audience) => {
    const name = JSON.stringify([audience, actor.sub, actor.role, actor.name, actor.client]);
    const cached = cache.get(name);
    if (cached && cached.until > now()) return cached.token;
    if (cache.size >= mostCached) cache.clear();
    const token = sign(key, jwk.kid, actor, audience, Math.floor(now() / 1000));
    cache.set(name, { token, until: now() + reusedForMs });
    return token;
  };
}

function sign(key: KeyObject, kid: string, actor: Actor, audience: string, at: number): Promise<string> {
  const { sub, ...told } = actor;
  return new SignJWT({ ...told })
    .setProtectedHeader({ alg: algorithm, typ: tokenType, kid })
    .setIssuer(processOf(kid))
    .setAudience(audience)
    .setSubject(sub)
    .setIssuedAt(at)
    .setExpirationTime(at + lifetimeSeconds)
    .sign(key);
}

/** A `kid` is the process's name, `name#n` while its key is being rotated. */
const processOf = (kid: string) => kid.split('#')[0] ?? kid;

const claims = z.object({ sub: z.string().min(1), role, name: z.string().optional(), client: z.string().optional() });

/**
 * Trusts the keys it was given and nothing in the token's header: the algorithm is pinned, the key is found by `kid`
 * among ours, and a process can sign in no name but its own. Whatever is wrong, the answer is the same 401.
 */
export function createIdentityVerifier(jwks: string, audience: string): IdentityVerifier {
  const keys = readKeys(jwks);
  const read = rememberVerified((token) => verify(token, keys, audience), { endOf: ({ until }) => until });
  return async (token) => {
    if (!token) throw unauthorised('No internal identity given');
    try {
      return (await read(token)).caller;
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof z.ZodError || error instanceof TypeError)
        throw unauthorised('The internal identity is not valid');
      throw error;
    }
  };
}

async function verify(token: string, keys: Map<string, KeyObject>, audience: string) {
  const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => keyOf(keys, kid), {
    algorithms: [algorithm],
    typ: tokenType,
    audience,
    requiredClaims: ['iss', 'sub', 'iat', 'exp'],
    maxTokenAge: lifetimeSeconds,
    clockTolerance: 5,
  });
  if (payload.iss === undefined || payload.iss !== processOf(protectedHeader.kid ?? ''))
    throw new errors.JWTInvalid('issuer and key differ');
  const caller: Caller = { actor: claims.parse(payload) as Actor, via: payload.iss };
  return { caller, until: Math.min(payload.exp ?? 0, (payload.iat ?? 0) + lifetimeSeconds) * 1000 };
}

function keyOf(keys: Map<string, KeyObject>, kid: string | undefined): KeyObject {
  const key = keys.get(kid ?? '');
  if (!key) throw new errors.JWKSNoMatchingKey();
  return key;
}

function readKeys(jwks: string): Map<string, KeyObject> {
  const { keys }: { keys: Jwk[] } = JSON.parse(jwks);
  return new Map(keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: 'jwk' })]));
}
