import { finished } from 'node:stream';
import type { RouteName, RouteSpec, ServiceName } from '@ops/contracts/routes';
import { asProblemError, notFound, ProblemError } from '@ops/service-kit/errors';
import { type IdentitySigner, identityHeader } from '@ops/service-kit/identity';
import type { InTurn } from '@ops/service-kit/turns';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { authorise } from '../proxy/authorisation.ts';
import { opsHeaders } from '../proxy/forwarded-headers.ts';
import type { ServiceProxy } from '../proxy/proxy.ts';
import type { Limiters } from '../proxy/rate-limit.ts';
import { targetOf } from '../proxy/request-target.ts';
import { type Authenticate, type Caller, callerOf, rememberCaller } from '../sign-in/authentication.ts';
import { changesSomething, requireOwnPage } from '../sign-in/csrf.ts';
import type { Welcome } from '../sign-in/new-agents.ts';

/** What the gateway answers itself. */
type OwnRoutes = Partial<Record<RouteName, (res: Response, caller: Caller, input: never) => unknown>>;

export interface OpsOptions {
  authenticate: Authenticate;
  welcome: Welcome;
  limiters: Limiters;
  publicOrigin: string;
  /** Within which of a sign-in a browser may do what cannot be taken back. */
  recentSignInMinutes: number;
  sign: IdentitySigner;
  /** Requests under way at each. */
  rooms: Record<ServiceName, InTurn>;
  proxy: ServiceProxy;
  own: OwnRoutes;
}

const mostBytes = 1024 * 1024;

/** Everything under /ops: who asks, how often, from our own page, may they, and on to the service that owns the route. */
export function opsRoutes(options: OpsOptions): Router {
  const router = express.Router();
  router.use(authentication(options), options.limiters.person, ownPageOnly(options), dispatch(options));
  return router;
}

function authentication({ authenticate, welcome, limiters }: OpsOptions): RequestHandler {
  return async (req, res, next) => {
    try {
      const caller = await authenticate(req);
      rememberCaller(res, caller);
      welcome(caller.actor);
    } catch (error) {
      if (asProblemError(error).status !== 401) throw error;
      await limiters.refused(req, res, (limited?: unknown) => next(limited ?? error));
      return;
    }
    next();
  };
}

function ownPageOnly({ publicOrigin }: OpsOptions): RequestHandler {
  return (req, res, next) => {
    const { session } = callerOf(res);
    if (session && changesSomething(req)) requireOwnPage(req, req.get('X-CSRF-Token'), session.csrf, publicOrigin);
    next();
  };
}

function dispatch({ sign, rooms, proxy, own, recentSignInMinutes }: OpsOptions): RequestHandler {
  return async (req, res, next) => {
    const caller = callerOf(res);
    const { name, spec, owner } = authorise(req.method, targetOf(res).segments, caller.actor);
    req.route = { path: spec.path };
    res.set('Cache-Control', 'no-store');
    if (wantsRecentSignIn(spec, req)) requireRecentSignIn(caller, recentSignInMinutes);
    if (owner === 'gateway') {
      const answer = own[name];
      if (!answer) throw notFound('The gateway has none');
      const params = spec.params.parse(parametersOf(spec, targetOf(res).segments));
      await answer(res, caller, { params, query: spec.query.parse(req.query) } as never);
      return;
    }
    await rooms[owner](async () => {
      const headers = {
        ...opsHeaders(req.headers),
        [identityHeader]: await sign(caller.actor, owner),
      };
      if (res.destroyed) return;
      proxy.forward(req, res, next, { service: owner, headers, mostBytes: spec.upload?.mostBytes ?? mostBytes });
      await underWay(res);
    });
  };
}

/** More than a service lets one wait for its turn: who sends or reads for longer keeps no room from others. */
const longestMs = 3_000;

const underWay = (res: Response) =>
  new Promise<void>((resolve) => {
    const longest = setTimeout(resolve, longestMs);
    finished(res, () => {
      clearTimeout(longest);
      resolve();
    });
  });

/** Of `/ops/me/sessions/:id/end`, the id. */
function parametersOf({ path }: RouteSpec, segments: readonly string[]): Record<string, string> {
  const expected = path.slice(1).split('/');
  return Object.fromEntries(
    segments.flatMap((segment, n) => (expected[n]?.startsWith(':') ? [[expected[n].slice(1), segment]] : [])),
  );
}

const wantsRecentSignIn = ({ recentSignIn }: RouteSpec, { query }: Request) =>
  recentSignIn === 'always' || (recentSignIn === 'unless_dry_run' && query.dry_run !== 'true');

/** Whoever finds a browser open does nothing with it that cannot be taken back. A program shows who it is each time. */
function requireRecentSignIn({ session }: Caller, minutes: number): void {
  if (!session || minutes === 0) return;
  const { signedInAt } = session;
  if (signedInAt && signedInAt.getTime() > Date.now() - minutes * 60_000) return;
  throw new ProblemError(403, 'sign_in_again', {
    detail: 'This cannot be taken back: sign in again, then do it once more',
  });
}
