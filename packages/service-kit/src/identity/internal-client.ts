import { inSpan, SpanKind } from '@ops/bus/spans';
import { currentTrace } from '@ops/bus/trace';
import type { InternalRouteSpec } from '@ops/contracts/internal-routes';
import type { ProcessName, ServiceName } from '@ops/contracts/routes';
import type { z } from 'zod';
import { unavailable } from '../errors.ts';
import { brokeOff, reachedNobody } from '../never-begun.ts';
import { rememberPeople } from '../process/people.ts';
import { createIdentitySigner, identityHeader, peopleHeader } from './identity.ts';

/** Another service did not answer as it should: `status` is what it said, or undefined when it could not be reached. */
export class InternalCallError extends Error {
  override name = 'InternalCallError';
  readonly status: number | undefined;
  /** It could not be reached, or said that it cannot answer now: what was asked is not to blame, and may be asked again. */
  readonly away: boolean;

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.away = status === undefined || saysAway.has(status);
  }
}

/** Not 500, which may be about what was asked. */
const saysAway = new Set([502, 503, 504]);

/** For a `catch`: without another service's answer nobody can say, and whoever wants to know asks again. */
export const unavailableWithout =
  (what: string) =>
  (error: unknown): never => {
    if (!(error instanceof InternalCallError)) throw error;
    throw unavailable(`${what} cannot be looked up at the moment`, undefined, error);
  };

export interface InternalInput<S extends InternalRouteSpec> {
  params?: z.input<S['params']>;
  query?: z.input<S['query']>;
  body?: z.input<NonNullable<S['body']>>;
}

/** Asks other services, signed with our own key; every call ends within its time. */
export interface InternalClient {
  ask<S extends InternalRouteSpec & { result: z.ZodType }>(
    owner: ServiceName,
    spec: S,
    input: InternalInput<S>,
  ): Promise<z.infer<S['result']>>;
  file<S extends InternalRouteSpec>(owner: ServiceName, spec: S, input: InternalInput<S>): Promise<Buffer>;
  /** The same as it comes; its time is that until it begins. Whoever does not read it to its end cancels it. */
  stream<S extends InternalRouteSpec>(owner: ServiceName, spec: S, input: InternalInput<S>): Promise<Streamed>;
  /** Whether one of those that were asked a moment ago serves people. */
  metPeople(): boolean;
}

/** An answer as it comes. */
export interface Streamed extends AsyncIterable<Uint8Array> {
  cancel(): Promise<void>;
}

export interface InternalClientOptions {
  self: ProcessName;
  privateKey: string;
  urls: Partial<Record<ServiceName, string>>;
  timeoutMs?: number;
}

export function createInternalClient({ self, privateKey, urls, timeoutMs = 15_000 }: InternalClientOptions) {
  const sign = createIdentitySigner(privateKey);
  const people = rememberPeople();

  type Input = InternalInput<InternalRouteSpec>;

  const traced = <T>(owner: ServiceName, spec: InternalRouteSpec, work: () => Promise<T>): Promise<T> =>
    inSpan(`${spec.method} ${spec.path}`, { kind: SpanKind.CLIENT, attributes: { 'peer.service': owner } }, work);

  const call = (owner: ServiceName, spec: InternalRouteSpec, input: Input) =>
    traced(owner, spec, () => request(owner, spec, input, AbortSignal.timeout(timeoutMs), contentOf));

  const stream = (owner: ServiceName, spec: InternalRouteSpec, input: Input) => {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), timeoutMs);
    return traced(owner, spec, () => request(owner, spec, input, patience.signal, streamOf)).finally(() =>
      clearTimeout(timer),
    );
  };

  async function request<T>(
    owner: ServiceName,
    spec: InternalRouteSpec,
    input: Input,
    signal: AbortSignal,
    taken: (response: Response) => Promise<T>,
  ): Promise<T> {
    const url = addressOf(urls[owner] ?? missing(owner), spec, input);
    const token = await sign({ sub: self, role: 'automation' }, owner);
    const { body } = input;
    const headers = {
      [identityHeader]: token,
      ...traceHeaders(),
      ...(body ? { 'content-type': 'application/json' } : {}),
    };
    const init: RequestInit = { method: spec.method, headers, signal, redirect: 'error' };
    if (body) init.body = JSON.stringify(body);
    try {
      const response = await fetch(url, init).catch((error: unknown) => {
        if (!mayBeAskedAgain(spec, error)) throw error;
        return fetch(url, init);
      });
      if (response.headers.has(peopleHeader)) people.meet();
      if (response.ok) return await taken(response);
      await response.body?.cancel();
      throw new InternalCallError(`${owner} answered ${response.status} to ${spec.path}`, response.status);
    } catch (error) {
      throw error instanceof InternalCallError
        ? error
        : new InternalCallError(`${owner} could not be asked`, undefined, error);
    }
  }

  const client: InternalClient = {
    ask: async (owner, spec, input) => {
      const content = await call(owner, spec, input);
      try {
        return spec.result.parse(JSON.parse(content.toString())) as never;
      } catch (error) {
        throw new InternalCallError(`${owner} answered ${spec.path} with what it does not promise`, 200, error);
      }
    },
    file: call,
    stream,
    metPeople: people.areThere,
  };
  return client;
}

/** As the gateway does: once more what reached nobody, or only reads and met a connection that ended. */
function mayBeAskedAgain({ method }: InternalRouteSpec, error: unknown): boolean {
  const { cause } = error as Error;
  return reachedNobody(cause) || (method === 'GET' && brokeOff(cause));
}

const contentOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());

/** Held from the beginning: a body that nobody reads yet is given up with its answer when memory is tidied, and reads as an empty one. */
async function streamOf({ body }: Response): Promise<Streamed> {
  if (!body) throw new Error('an answer without a body');
  const reader = body.getReader();
  return {
    cancel: () => reader.cancel(),
    async *[Symbol.asyncIterator]() {
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
      } finally {
        await reader.cancel().catch(() => {});
      }
    },
  };
}

function missing(owner: ServiceName): never {
  throw new TypeError(`the address of ${owner} was not given`);
}

function addressOf(base: string, spec: InternalRouteSpec, { params, query }: InternalInput<InternalRouteSpec>): URL {
  const given = (params ?? {}) as Record<string, unknown>;
  const path = spec.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(given[name])));
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
  return url;
}

function traceHeaders(): Record<string, string> {
  const trace = currentTrace.getStore();
  return trace ? { 'x-request-id': trace.requestId, traceparent: trace.traceparent } : {};
}
