import { unauthorised } from '@ops/service-kit/errors';
import type { Request, Response } from 'express';
import type { Identity } from './access-token.ts';
import type { Session, Sessions } from './session.ts';

/** Who asks. */
export interface Caller extends Identity {
  /** Set when the browser's session says so, rather than a bearer token. */
  session?: Session;
}

export type Authenticate = (req: Request) => Promise<Caller>;

/**
 * By bearer token when there is an Authorization header, else by the session cookie. A bad header never falls through to
 * the cookie: what asks with a token is not a browser that may lack one.
 */
export function createAuthentication(
  readAccessToken: (token: string) => Promise<Identity>,
  sessions: Sessions,
): Authenticate {
  return async (req) => {
    const { authorization } = req.headers;
    if (authorization !== undefined) return readAccessToken(bearerToken(authorization));
    const session = await sessions.read(req);
    if (!session) throw unauthorised('Sign in, or send a bearer token');
    return { actor: session.actor, expiresAt: session.expiresAt, session };
  };
}

function bearerToken(authorization: string): string {
  const [, token] = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization) ?? [];
  if (token === undefined) throw unauthorised('Authorization must be: Bearer, a space, the token');
  return token;
}

export const rememberCaller = (res: Response, caller: Caller): void => void Object.assign(res.locals, { caller });

export const callerIfAny = (res: Response): Caller | undefined => (res.locals as { caller?: Caller }).caller;

/** Whom an earlier handler of this request authenticated. */
export function callerOf(res: Response): Caller {
  const caller = callerIfAny(res);
  if (!caller) throw new TypeError('nobody was authenticated on this route');
  return caller;
}
