import type { RequestListener } from 'node:http';
import type { Trace } from '@ops/bus/trace';
import type { InternalRouteSpec } from '@ops/contracts/internal-routes';
import type { Actor } from '@ops/contracts/roles';
import { nameOf, type ProcessName, type RouteSpec } from '@ops/contracts/routes';
import express, { type Request, type Response } from 'express';
import { ZodError, type z } from 'zod';
import { actIn } from '../auditing/auditing.ts';
import { type Db, inTransaction, reading, type Trx } from '../database/database.ts';
import { forbidden, methodNotAllowed, notFound, type ProblemError } from '../errors.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { type IdentityVerifier, identityHeader, peopleHeader } from '../identity/identity.ts';
import type { Logger } from '../observing/logger.ts';
import type { Metrics } from '../observing/metrics.ts';
import { rememberPeople } from '../process/people.ts';
import { createTurns, type InTurn, type TurnLimits } from '../process/turns.ts';
import { type Check, mountHealth } from './health.ts';
import { type Answer, type FileAnswer, jsonAnswer, problemAnswer, sendAnswer } from './http-answers.ts';
import { type Claim, idempotencyKeyOf, keptAnswer, once, onceEach } from './idempotency.ts';
import { type RouteInput, readInput, releaseInput } from './request-input.ts';
import { observeRequests, reportFailure, requestTrace } from './request-log.ts';
import { createRoom } from './room.ts';
import { createSharedWriting } from './writing-together.ts';

export { requireMatch } from './preconditions.ts';

export interface RouteContext<S extends RouteSpec> extends RouteInput<S> {
  actor: Actor;
  requestId: string;
  /** If-Match as it came; the use case compares it by `requireMatch`, since it alone knows the version. */
  ifMatch: string | undefined;
  /** `Prefer: respond-async` (RFC 7240): answer at once and go on. */
  prefersAsync: boolean;
}

export interface Reply<S extends RouteSpec> {
  /** Left out: the lowest success status of the route. */
  status?: 200 | 201 | 202;
  body: z.infer<NonNullable<S['success'][200 | 201 | 202]>>;
  /** The version, without quotes. */
  etag?: string;
}

export type ReadHandler<S extends RouteSpec> = (context: RouteContext<S> & { db: Db }) => Promise<Reply<S>>;
export type WorkHandler<S extends RouteSpec> = ReadHandler<S>;
export type WriteHandler<S extends RouteSpec> = (context: RouteContext<S> & { trx: Trx }) => Promise<Reply<S>>;
/** One of several that are done in one transaction: what is told of it belongs to its own trace. */
export type SharedContext<S extends RouteSpec> = RouteContext<S> & { trace: Trace };
/** Replies to each in their order, or rejects. Unless it `mayWait`, it rejects too where it would wait for what somebody may hold for long. */
export type TogetherHandler<S extends RouteSpec> = (
  trx: Trx,
  all: readonly SharedContext<S>[],
  mayWait: boolean,
) => Promise<readonly Reply<S>[]>;
export interface Sharing<S extends RouteSpec> {
  /** Whether this one may be done with others at all. */
  mayShare(one: SharedContext<S>): boolean;
  /** Whether it may with these. */
  mayJoin(all: readonly SharedContext<S>[], one: SharedContext<S>): boolean;
}

/** A file, or anything else that is not JSON. */
export interface FileReply {
  content: Buffer | string | AsyncIterable<string | Buffer>;
  mediaType: string;
  headers?: Record<string, string>;
}
export type FileHandler<S extends RouteSpec> = (context: RouteContext<S> & { db: Db }) => Promise<FileReply>;

export type InternalReply<S extends InternalRouteSpec> = S extends { result: z.ZodType }
  ? { body: z.infer<S['result']> }
  : FileReply;
export type InternalHandler<S extends InternalRouteSpec> = (
  context: RouteInput<S> & { db: Db },
) => Promise<InternalReply<S>>;

export interface HttpApp {
  /** A route that changes nothing. */
  read<S extends RouteSpec>(spec: S, handler: ReadHandler<S>): void;
  /**
   * A route that changes something: opens the one transaction, commits it when the handler returns, and only then
   * answers. A POST honours Idempotency-Key in that same transaction.
   */
  write<S extends RouteSpec>(spec: S, handler: WriteHandler<S>): void;
  /**
   * The same for a route that many ask at once: what comes while others are at work shares one transaction next, as far as it
   * may. What could not be done with others is done by itself. Nothing of it is audited: nobody acts alone in it.
   */
  writeTogether<S extends RouteSpec>(spec: S, handler: TogetherHandler<S>, sharing: Sharing<S>): void;
  /**
   * A route whose work takes longer than one transaction may, and opens its own. It must be safe to do twice: an answer
   * is kept for its Idempotency-Key once it is there, and until then a twin does the work as well.
   */
  work<S extends RouteSpec>(spec: S, handler: WorkHandler<S>): void;
  /** A route that answers a file: `mediaType` in its spec. */
  file<S extends RouteSpec>(spec: S, handler: FileHandler<S>): void;
  /** A route for other services alone; the handler opens its own transactions. */
  internal<S extends InternalRouteSpec>(spec: S, handler: InternalHandler<S>): void;
  /** For the rare route that is not in the contracts' table. */
  app: express.Express;
  /** Tells that a route mounted on `app` committed something: there may be events to publish. */
  committed(): void;
  /** Whether people asked this process for something a moment ago; no longer once it takes its leave. */
  isBusy(): boolean;
  /** What a server listens with: `app`, and a problem for all it does not answer. */
  listener: RequestListener;
}

export interface HttpAppOptions {
  service: string;
  logger: Logger;
  db: Db;
  verifyIdentity: IdentityVerifier;
  ready: Check;
  metrics: Metrics;
  isLeaving?: () => boolean;
  /** Called after each commit: there may be events to publish. */
  afterWrite?: () => void;
  /** How many requests of people are worked on, and how long another waits for that. */
  room?: TurnLimits;
}

/** More at once than connections to the database: some wait for other services. */
const usualRoom: TurnLimits = { atOnce: 40, longestMs: 2_000 };

interface Making extends HttpAppOptions {
  isBusy(): boolean;
  inTurn: InTurn;
  asked(spec: RouteSpec, by: Actor): void;
}

export function createHttpApp(given: HttpAppOptions): HttpApp {
  const app = createExpress(given);
  const people = rememberPeople();
  const asked = ({ isFollowed }: RouteSpec, { role }: Actor) => {
    if (!isFollowed && role !== 'automation' && role !== 'scheduler') people.meet();
  };
  const isBusy = () => !given.isLeaving?.() && people.areThere();
  const options: Making = { ...given, inTurn: createRoom(given.room ?? usualRoom), asked, isBusy };
  const mounted: AnySpec[] = [];
  const mount = (spec: AnySpec, respond: Responder) => {
    mounted.push(spec);
    app[verbOf(spec)](spec.path, async (req, res) => {
      const answer = await respond(req, res).finally(() => releaseInput(res));
      sendAnswer(res, answer);
    });
  };
  return {
    app,
    committed: () => options.afterWrite?.(),
    isBusy,
    listener: (req, res) => dispatch(app, req as Request, res as Response, mounted, options),
    read: (spec, handler) => mount(spec, readResponder(spec, handler, options)),
    write: (spec, handler) => mount(spec, writeResponder(spec, handler, options)),
    writeTogether: (spec, handler, sharing) => mount(spec, togetherResponder(spec, handler, sharing, options)),
    work: (spec, handler) => mount(spec, workResponder(spec, handler, options)),
    file: (spec, handler) => mount(spec, fileResponder(spec, handler, options)),
    internal: (spec, handler) => mount(spec, internalResponder(spec, handler, options)),
  };
}

function dispatch(
  app: express.Express,
  req: Request,
  res: Response,
  mounted: AnySpec[],
  options: HttpAppOptions,
): void {
  app(req, res, (error: unknown) => refuse(error, req, res, mounted, options));
}

/** Paths match exactly, letter case and trailing slash included: the gateway authorises what stands in its table. */
function createExpress(options: HttpAppOptions): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(observeRequests(options));
  mountHealth(app, options.ready);
  return app;
}

type AnySpec = RouteSpec | InternalRouteSpec;
type Responder = (req: Request, res: Response) => Promise<Answer | FileAnswer>;

const verbOf = (spec: AnySpec) => spec.method.toLowerCase() as Lowercase<RouteSpec['method']>;

function readResponder<S extends RouteSpec>(spec: S, handler: ReadHandler<S>, options: Making): Responder {
  return async (req, res) => {
    const context = await admit(spec, req, res, options);
    const read = () => reading(() => handler({ ...context, db: options.db })).catch(reportOwnMistake);
    return replyAnswer(spec, await options.inTurn(read));
  };
}

/** What is on disk waits there for its turn: it takes neither memory nor a connection meanwhile. */
const uploading = createTurns({ atOnce: 2 });

function writeResponder<S extends RouteSpec>(spec: S, handler: WriteHandler<S>, options: Making): Responder {
  return async (req, res) => {
    const context = await admit(spec, req, res, options);
    const claim = claimOf(spec, req, context);
    const { actor, requestId } = context;
    const work = async (trx: Trx) => {
      actIn(trx, { actor, requestId, action: nameOf(spec) });
      return replyAnswer(spec, await handler({ ...context, trx }).catch(reportOwnMistake));
    };
    const write = () => inOneTransaction(options, { context, claim }, work);
    const answer = await (spec.upload ? uploading(write) : options.inTurn(write));
    options.afterWrite?.();
    return answer;
  };
}

interface Asked<C> {
  context: C;
  claim: Claim | undefined;
}

const inOneTransaction = (
  { db }: Making,
  { context: { requestId }, claim }: Asked<{ requestId: string }>,
  work: (trx: Trx) => Promise<Answer>,
): Promise<Answer> =>
  inTransaction(db, (trx) =>
    claim ? once(trx, claim, work, (problem) => problemAnswer(problem, requestId)) : work(trx),
  );

function togetherResponder<S extends RouteSpec>(
  spec: S,
  handler: TogetherHandler<S>,
  { mayShare, mayJoin }: Sharing<S>,
  options: Making,
): Responder {
  type One = Asked<SharedContext<S>>;
  const contextsOf = (all: readonly One[]) => all.map(({ context }) => context);
  const work = async (trx: Trx, all: readonly One[], mayWait: boolean) => {
    const replies = await handler(trx, contextsOf(all), mayWait).catch(reportOwnMistake);
    return replies.map((reply) => replyAnswer(spec, reply));
  };
  const alone = (one: One) =>
    inOneTransaction(options, one, async (trx) => {
      const [answer] = await work(trx, [one], true);
      if (!answer) throw new Error(`${nameOf(spec)} was not answered`);
      return answer;
    });
  const share = createSharedWriting<One>({
    db: options.db,
    write: (trx, all) =>
      onceEach(
        trx,
        all.map(({ claim }) => claim),
        () => work(trx, all, false),
      ),
    alone,
    mayJoin: (all, one) => mayJoin(contextsOf(all), one.context),
    failed: (err) =>
      options.logger.warn({ err, route: spec.path }, 'could not be done together; each is done by itself'),
  });
  return async (req, res) => {
    const context = { ...(await admit(spec, req, res, options)), trace: requestTrace(res) };
    const one = { context, claim: claimOf(spec, req, context) };
    const answer = await options.inTurn(() => (mayShare(context) ? share(one) : alone(one)));
    options.afterWrite?.();
    return answer;
  };
}

function workResponder<S extends RouteSpec>(spec: S, handler: WorkHandler<S>, options: Making): Responder {
  const { db } = options;
  return async (req, res) => {
    const context = await admit(spec, req, res, options);
    const claim = claimOf(spec, req, context);
    const kept = claim && (await reading(() => keptAnswer(db, claim)));
    if (kept) return kept;
    const answer = replyAnswer(spec, await handler({ ...context, db }).catch(reportOwnMistake));
    const refusal = (problem: ProblemError) => problemAnswer(problem, context.requestId);
    const keep = (to: Claim) => inTransaction(db, (trx) => once(trx, to, async () => answer, refusal));
    const first = claim ? await keep(claim) : answer;
    options.afterWrite?.();
    return first;
  };
}

function fileResponder<S extends RouteSpec>(spec: S, handler: FileHandler<S>, options: Making): Responder {
  return async (req, res) => {
    const context = await admit(spec, req, res, options);
    const read = () => reading(() => handler({ ...context, db: options.db })).catch(reportOwnMistake);
    return fileAnswer(await options.inTurn(read));
  };
}

function internalResponder<S extends InternalRouteSpec>(
  spec: S,
  handler: InternalHandler<S>,
  options: Making,
): Responder {
  return async (req, res) => {
    const { via } = await options.verifyIdentity(req.get(identityHeader));
    if (!spec.callers.includes(via as ProcessName)) throw forbidden(`Not for ${via}`);
    if (options.isBusy()) res.set(peopleHeader, '1');
    const input = (await readInput(spec, req, res)) as RouteInput<S>;
    const reply = await handler({ ...input, db: options.db }).catch(reportOwnMistake);
    options.afterWrite?.();
    return 'body' in reply ? jsonAnswer(200, reply.body) : fileAnswer(reply as FileReply);
  };
}

const fileAnswer = ({ content, mediaType, headers = {} }: FileReply): FileAnswer => ({
  status: 200,
  headers: { 'Content-Type': mediaType, 'X-Content-Type-Options': 'nosniff', ...headers },
  body: typeof content === 'string' ? Buffer.from(content) : content,
});

/** What came in was checked before: a ZodError from a handler means that our own data fail our own schema. */
function reportOwnMistake(error: unknown): never {
  throw error instanceof ZodError ? new Error('own data do not fit their schema', { cause: error }) : error;
}

/** Finds out who asks, whether they may, and what they say, in that order: a stranger learns nothing of our fields. */
async function admit<S extends RouteSpec>(
  spec: S,
  req: Request,
  res: Response,
  { verifyIdentity, asked }: Making,
): Promise<RouteContext<S>> {
  const { actor, via } = await verifyIdentity(req.get(identityHeader));
  // Who stands at the door says who a person is; a service that was taken over could say anything.
  if (via !== 'gateway') throw forbidden(`Not for ${via}`);
  if (!spec.roles.includes(actor.role)) throw forbidden(`Not for role ${actor.role}`);
  asked(spec, actor);
  const input = await readInput(spec, req, res);
  return {
    ...input,
    actor,
    requestId: requestTrace(res).requestId,
    ifMatch: req.get('If-Match'),
    prefersAsync: preferences(req).includes('respond-async'),
  };
}

const preferences = (req: Request): string[] =>
  (req.get('Prefer') ?? '').split(',').map((one) => one.trim().toLowerCase());

function claimOf(spec: RouteSpec, req: Request, context: RouteContext<RouteSpec>): Claim | undefined {
  const key = spec.method === 'POST' ? idempotencyKeyOf(req) : undefined;
  if (key === undefined) return undefined;
  return {
    subject: context.actor.sub,
    method: spec.method,
    path: pathOf(spec, context.params as Record<string, unknown>),
    key,
    fingerprint: fingerprintOf([req.query, req.body ?? {}]),
  };
}

/** The path as we would write it, however the caller encoded it. */
const pathOf = (spec: RouteSpec, params: Record<string, unknown>) =>
  spec.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));

function replyAnswer<S extends RouteSpec>(spec: S, reply: Reply<S>): Answer {
  const status = reply.status ?? Math.min(...Object.keys(spec.success).map(Number));
  return jsonAnswer(status, reply.body, reply.etag === undefined ? {} : { ETag: `"${reply.etag}"` });
}

/** The end of every request that got no answer: an error, or no such route. */
function refuse(error: unknown, req: Request, res: Response, mounted: AnySpec[], { logger }: HttpAppOptions): void {
  const failure = error ?? noSuchRoute(req, mounted);
  reportFailure(failure, res, logger);
  sendAnswer(res, problemAnswer(failure, requestTrace(res).requestId));
}

function noSuchRoute(req: Request, mounted: AnySpec[]): ProblemError {
  const methods = mounted.filter((spec) => templateOf(spec).test(req.path)).map((spec) => spec.method);
  return methods.length > 0 ? methodNotAllowed([...new Set(methods)]) : notFound('There is nothing at this address');
}

const templateOf = (spec: AnySpec) => new RegExp(`^${spec.path.replace(/:\w+/g, '[^/]+')}$`);
