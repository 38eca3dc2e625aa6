import { STATUS_CODES } from 'node:http';
import { isNativeError } from 'node:util/types';
import { notKnown } from '@ops/contracts/plain-words';
import type { FieldError, Problem } from '@ops/contracts/problem';
import { z } from 'zod';
import { isDatabaseUnavailable } from './database/database-errors.ts';

export interface ProblemOptions {
  detail?: string | undefined;
  errors?: FieldError[] | undefined;
  /** What the answer is about, for whoever wants to go there. */
  about?: Pick<Problem, 'renewal_id' | 'newest_alert'> | undefined;
  headers?: Record<string, string> | undefined;
  cause?: unknown;
}

/** An answer that is not a success: what the caller is told, and nothing it should not know. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly status: number;
  readonly code: string;
  readonly detail: string | undefined;
  readonly errors: FieldError[] | undefined;
  readonly about: ProblemOptions['about'];
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, options: ProblemOptions = {}) {
    super(options.detail ?? code, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.detail = options.detail;
    this.errors = options.errors;
    this.about = options.about;
    this.headers = options.headers ?? {};
  }
}

const kind = (status: number, code: string) => (detail?: string) => new ProblemError(status, code, { detail });

export const badRequest = kind(400, 'malformed_request');
export const forbidden = kind(403, 'forbidden');
export const notFound = kind(404, 'not_found');
export const conflict = kind(409, 'conflict');
export const preconditionFailed = kind(412, 'precondition_failed');
export const tooLarge = kind(413, 'body_too_large');
export const unsupportedMediaType = kind(415, 'unsupported_media_type');
export const badGateway = kind(502, 'bad_gateway');
export const gatewayTimeout = kind(504, 'gateway_timeout');

export const unauthorised = (detail?: string) =>
  new ProblemError(401, 'unauthorised', { detail, headers: { 'WWW-Authenticate': 'Bearer' } });

export const methodNotAllowed = (allowed: readonly string[]) =>
  new ProblemError(405, 'method_not_allowed', { headers: { Allow: allowed.join(', ') } });

export const unprocessable = (errors: FieldError[], code = 'validation_failed', detail?: string) =>
  new ProblemError(422, code, { errors, detail: detail ?? 'Some fields are not valid; `errors` names each' });

export const tooManyRequests = (retryAfterSeconds: number, detail?: string) =>
  new ProblemError(429, 'too_many_requests', { detail, headers: { 'Retry-After': String(retryAfterSeconds) } });

export const unavailable = (detail: string, retryAfterSeconds = 2, cause?: unknown) =>
  new ProblemError(503, 'unavailable', { detail, cause, headers: { 'Retry-After': String(retryAfterSeconds) } });

/** The one place where any error becomes an answer. What it does not know is a bug, and says nothing but that. */
export function toProblem(error: unknown, requestId: string): { problem: Problem; headers: Record<string, string> } {
  const known = asProblemError(error);
  const problem: Problem = {
    type: 'about:blank',
    title: STATUS_CODES[known.status] ?? 'Error',
    status: known.status,
    code: known.code,
    request_id: requestId,
    ...known.about,
  };
  if (known.detail !== undefined) problem.detail = known.detail;
  if (known.errors !== undefined) problem.errors = known.errors;
  return { problem, headers: known.headers };
}

export function asProblemError(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof z.ZodError) return unprocessable(fieldErrors(error));
  if (isDatabaseUnavailable(error)) return unavailable('The database cannot be reached at the moment', 2, error);
  return fromParser(error) ?? new ProblemError(500, 'internal_error', { cause: error });
}

/** What express's body parser and router throw, by their documented `type`. */
const parserErrors: Record<string, () => ProblemError> = {
  'entity.too.large': () => tooLarge('The body is over the limit'),
  'parameters.too.many': () => tooLarge('The form has more fields than are read'),
  'encoding.unsupported': () => unsupportedMediaType('The body must not be compressed'),
  'charset.unsupported': () => unsupportedMediaType('The charset must be utf-8'),
  'request.aborted': () => badRequest('The request ended before its body did'),
  'request.size.invalid': () => badRequest('The body does not have the length it announced'),
};

function fromParser(error: unknown): ProblemError | undefined {
  if (!isNativeError(error)) return undefined;
  if (error.name === 'URIError') return badRequest('The address holds a malformed percent-encoding');
  const type = 'type' in error ? error.type : undefined;
  return typeof type === 'string' && Object.hasOwn(parserErrors, type) ? parserErrors[type]?.() : undefined;
}

const mostErrors = 50;
const longestPath = 200;

/** One entry for each bad field, unknown ones by their own name; bounded, since a caller decides how many there are. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap(entriesOf).slice(0, mostErrors);
}

function entriesOf(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
  return issue.keys.slice(0, mostErrors).map((key) => ({ path: pathOf([...issue.path, key]), message: notKnown }));
}

/** Dotted, as in `phones.0`; `$` is the whole. */
const pathOf = (path: readonly PropertyKey[]) => path.map(String).join('.').slice(0, longestPath) || '$';
