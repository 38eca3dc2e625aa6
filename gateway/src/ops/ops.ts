import type { RouteName } from '@ops/contracts/routes';
import { asProblemError } from '@ops/service-kit/errors';
import { type IdentitySigner, identityHeader } from '@ops/service-kit/identity';
import express, { type RequestHandler, type Response, type Router } from 'express';
import { authorise } from '../proxy/authorisation.ts';
import { opsHeaders } from '../proxy/forwarded-headers.ts';
import type { ServiceProxy } from '../proxy/proxy.ts';
import type { Limiters } from '../proxy/rate-limit.ts';
import { targetOf } from '../proxy/request-target.ts';
import { type Authenticate, type Caller, callerOf, rememberCaller } from '../sign-in/authentication.ts';
import { changesSomething, requireOwnPage } from '../sign-in/csrf.ts';
import type { Welcome } from '../sign-in/new-agents.ts';

/** What the gateway answers itself. */
type OwnRoutes = Partial<Record<RouteName, (res: Response, caller: Caller) => void>>;

export interface OpsOptions {
  authenticate: Authenticate;
  welcome: Welcome;
  limiters: Limiters;
  publicOrigin: string;
  sign: IdentitySigner;
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

function dispatch({ sign, proxy, own }: OpsOptions): RequestHandler {
  return async (req, res, next) => {
    const caller = callerOf(res);
    const { name, spec, owner } = authorise(req.method, targetOf(res).segments, caller.actor);
    req.route = { path: spec.path };
    res.set('Cache-Control', 'no-store');
    if (owner === 'gateway') {
      spec.query.parse(req.query);
      own[name]?.(res, caller);
      return;
    }
    const headers = {
      ...opsHeaders(req.headers),
      [identityHeader]: await sign(caller.actor, owner),
    };
    proxy.forward(req, res, next, { service: owner, headers, mostBytes: spec.upload?.mostBytes ?? mostBytes });
  };
}
