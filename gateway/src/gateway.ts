import type { Bus } from '@ops/bus/port';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { createReadiness, mountHealth, unlessLeaving } from '@ops/service-kit/health';
import { createIdentitySigner } from '@ops/service-kit/identity';
import type { Leave } from '@ops/service-kit/leave';
import { createLogger, type Logger } from '@ops/service-kit/logger';
import { type Metrics, showGauge } from '@ops/service-kit/metrics';
import { observeRequests } from '@ops/service-kit/request-log';
import { createRoom } from '@ops/service-kit/room';
import express, { type Express, type RequestHandler, type Response } from 'express';
import type { AccessFiles } from './audit/access-files.ts';
import { createAuditAnswers } from './audit/audit-answers.ts';
import { createRefusals, type Refusals } from './audit/refusals.ts';
import type { GatewayConfig } from './config.ts';
import { docsRoutes } from './ops/docs.ts';
import { createLiveStream, type LiveStream } from './ops/live-stream.ts';
import { opsRoutes } from './ops/ops.ts';
import { securityHeaders } from './pages/security-headers.ts';
import { uiFiles, uiPage } from './pages/ui.ts';
import { createProxy, type ServiceProxy } from './proxy/proxy.ts';
import { createLimiters, type Limiters } from './proxy/rate-limit.ts';
import { answerRefusals } from './proxy/refusal.ts';
import { plainTargetsOnly, targetOf } from './proxy/request-target.ts';
import { createSharedCounts, type SharedCounts } from './proxy/shared-counts.ts';
import { webhookRoutes } from './proxy/webhooks.ts';
import { createAccessTokenReader } from './sign-in/access-token.ts';
import { callerIfAny, createAuthentication } from './sign-in/authentication.ts';
import { createIdentityProvider, type IdentityProvider } from './sign-in/identity-provider.ts';
import { answerMe } from './sign-in/me.ts';
import { createMySessions } from './sign-in/my-sessions.ts';
import { createWelcome } from './sign-in/new-agents.ts';
import { createOpenSessions, type OpenSessions } from './sign-in/open-sessions.ts';
import { createSealer, type Sealer } from './sign-in/sealed.ts';
import { createSessions, type Sessions } from './sign-in/session.ts';
import { signInRoutes } from './sign-in/sign-in.ts';

export interface GatewayParts {
  config: GatewayConfig;
  logger: Logger;
  metrics: Metrics;
  bus: Pick<Bus, 'tap' | 'check'>;
  db: Db;
  leave: Pick<Leave, 'signal'>;
  /** Take the line of each request, in place of the log. */
  accessFiles?: Pick<AccessFiles, 'write'>;
  heartbeatMs?: number;
  connectTimeoutMs?: number;
  /** Requests under way at each service. */
  mostUnderWay?: number;
}

export interface Gateway {
  app: Express;
  /** Begins to listen to the bus and to look for the identity provider; neither has to be there yet. */
  start(): void;
  /** Ends the live streams: draining would wait for them in vain. */
  endStreams(): Promise<void>;
  /** Gives up the connections to the services, which by then serve nobody. */
  close(): Promise<void>;
}

interface Built {
  provider: IdentityProvider;
  sealer: Sealer;
  open: OpenSessions;
  refusals: Refusals;
  sessions: Sessions;
  counts: SharedCounts;
  limiters: Limiters;
  proxy: ServiceProxy;
  live: LiveStream;
  publicUrl: URL;
}

export function createGateway(parts: GatewayParts): Gateway {
  const built = build(parts);
  const issuerOrigin = new URL(parts.config.OIDC_ISSUER).origin;
  const app = express();
  showOpenStreams(parts.metrics, built.live);
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('trust proxy', parts.config.TRUSTED_PROXIES);
  app.use(
    observeRequests({ logger: accessLogger(parts), metrics: parts.metrics, whoAsks }),
    securityHeaders(built.publicUrl, () => built.provider.known()?.signOutOrigin ?? issuerOrigin),
  );
  mountHealth(app, unlessLeaving(parts.leave, readiness(parts, built)));
  mountRoutes(app, parts, built);
  app.use(answerRefusals(parts.logger, built.refusals.note));
  return {
    app,
    start() {
      built.live.start();
      built.open.start();
      built.refusals.start();
      built.counts.start();
      built.provider.discovered().catch(() => {});
    },
    endStreams: () => built.live.close(),
    async close() {
      built.proxy.close();
      await Promise.all([built.open.stop(), built.refusals.stop(), built.counts.stop()]);
    },
  };
}

function build({ config, logger, bus, db, heartbeatMs, connectTimeoutMs }: GatewayParts): Built {
  const publicUrl = new URL(config.PUBLIC_URL);
  const live = createLiveStream({ bus, logger, ...(heartbeatMs && { heartbeatMs }) });
  const idleMinutes = config.SESSION_IDLE_MINUTES;
  const sealer = createSealer(config.SESSION_SECRET);
  const counts = createSharedCounts({ db, logger, secret: config.SESSION_SECRET.join() });
  const open = createOpenSessions({ db, logger, idleMinutes, onEnd: live.endSession });
  return {
    publicUrl,
    provider: createIdentityProvider({
      issuer: config.OIDC_ISSUER,
      clientId: config.OIDC_CLIENT_ID,
      clientSecret: config.OIDC_CLIENT_SECRET,
      logger,
    }),
    sealer,
    open,
    refusals: createRefusals(db, logger),
    sessions: createSessions({
      db,
      open,
      sealer,
      secure: publicUrl.protocol === 'https:',
      hours: config.SESSION_HOURS,
    }),
    counts,
    limiters: createLimiters(counts, config.RATE_LIMIT_PER_MINUTE, config.RATE_LIMIT_AUTOMATION_PER_MINUTE),
    live,
    proxy: createProxy({
      services: {
        'comms-service': config.COMMS_SERVICE_URL,
        'renewals-service': config.RENEWALS_SERVICE_URL,
        'webhook-ingest': config.WEBHOOK_INGEST_URL,
        notifier: config.NOTIFIER_URL,
      },
      timeoutMs: config.PROXY_TIMEOUT_MS,
      ...(connectTimeoutMs && { connectTimeoutMs }),
    }),
  };
}

function mountRoutes(app: Express, { config, logger, db, mostUnderWay }: GatewayParts, built: Built): void {
  const { provider, sealer, sessions, limiters, proxy, live, publicUrl } = built;
  const audit = createAuditAnswers(db);
  const mine = createMySessions(db, built.open, config.SESSION_IDLE_MINUTES);
  const readAccessToken = createAccessTokenReader(provider, {
    audience: config.OIDC_AUDIENCE,
    clientId: config.OIDC_CLIENT_ID,
    roleClaim: config.OIDC_ROLE_CLAIM,
    mostHours: config.OIDC_MAX_TOKEN_AGE_HOURS,
  });
  const authenticate = createAuthentication(readAccessToken, sessions);
  const ops = opsRoutes({
    authenticate,
    welcome: createWelcome({
      privateKey: config.INTERNAL_PRIVATE_KEY,
      notifierUrl: config.NOTIFIER_URL,
      logger,
    }),
    limiters,
    publicOrigin: publicUrl.origin,
    sign: createIdentitySigner(config.INTERNAL_PRIVATE_KEY),
    rooms: createRooms(mostUnderWay),
    proxy,
    recentSignInMinutes: config.RECENT_SIGN_IN_MINUTES,
    own: {
      getMe: answerMe,
      listMySessions: mine.list,
      endMySession: mine.endOne,
      endMyOtherSessions: mine.endOthers,
      listAudit: audit.list,
      downloadAudit: audit.download,
      stream: live.open,
    },
  });
  app.use(plainTargetsOnly, under('ops', ops), under('webhooks', webhookRoutes(proxy)));
  // Files of the pages are served before the limit: a page asks for dozens, and a whole office may sit behind one
  // address.
  app.use(uiFiles(config.UI_DIR));
  app.use(limiters.address);
  const { OIDC_SCOPE: scope, SESSION_HOURS: hours } = config;
  app.use(signInRoutes({ provider, readAccessToken, sessions, sealer, publicUrl, scope, hours }));
  app.use(docsRoutes(config.DOCS_FOR === 'signed_in' ? authenticate : undefined));
  app.use(uiPage(config.UI_DIR));
  app.use(() => {
    throw notFound('No such path');
  });
}

/** Of each service ten times as many as it works on at once, at each gateway: who comes next would only wait there, and is told at once to come again. */
const createRooms = (atOnce = 400) => ({
  'comms-service': createRoom({ atOnce, waiting: 0 }),
  'renewals-service': createRoom({ atOnce, waiting: 0 }),
  'webhook-ingest': createRoom({ atOnce, waiting: 0 }),
  notifier: createRoom({ atOnce, waiting: 0 }),
});

const accessLogger = ({ accessFiles, logger }: GatewayParts): Logger =>
  accessFiles ? createLogger('gateway', 'info', accessFiles) : logger;

function whoAsks(res: Response) {
  const caller = callerIfAny(res);
  if (!caller) return;
  const { sub, role, client } = caller.actor;
  return { sub, role, client };
}

function showOpenStreams({ registry }: Metrics, live: LiveStream): void {
  const shown = { name: 'live_streams_open', help: 'Screens that are connected and hear of changes as they happen' };
  showGauge(registry, shown, () => [{ labels: {}, value: live.clients() }]);
}

/**
 * Chooses by the first segment rather than by express's mount paths, which match other spellings and rewrite the
 * address.
 */
const under =
  (first: string, handler: RequestHandler): RequestHandler =>
  (req, res, next) =>
    targetOf(res).segments[0] === first ? handler(req, res, next) : next();

/**
 * Ready once signing keys were read and the bus is heard. Not coupled to the services: with one of them down the gateway
 * still serves the others, and says 503 for that one.
 */
function readiness({ bus, logger }: GatewayParts, { provider, live }: Built) {
  const heard = async () => {
    if (!live.listening()) throw new Error('not listening yet');
    await bus.check();
  };
  return createReadiness({ 'identity provider': () => provider.discovered(), bus: heard }, logger);
}
