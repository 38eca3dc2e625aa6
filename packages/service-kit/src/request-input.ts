import { isUtf8 } from 'node:buffer';
import type { FieldError } from '@ops/contracts/problem';
import type { RouteSpec } from '@ops/contracts/routes';
import express, { type Request, type Response } from 'express';
import type { z } from 'zod';
import { fieldErrors, unprocessable, unsupportedMediaType } from './errors.ts';

export interface RouteInput<S extends RouteSpec> {
  params: z.infer<S['params']>;
  query: z.infer<S['query']>;
  body: z.infer<NonNullable<S['body']>>;
}

const bodyLimit = 1024 * 1024;

/** Far above what any resource needs; a recursion over what came in can then never run out of stack. */
const deepestNesting = 32;

/** `inflate: false`: a few kilobytes of gzip must not become the memory of the process. */
const parseJson = express.json({
  limit: bodyLimit,
  inflate: false,
  strict: false,
  type: () => true,
  verify: (_req, _res, bytes) => {
    // The parser would replace broken bytes silently, and the record would hold something nobody wrote.
    if (!isUtf8(bytes)) throw new Error('not UTF-8');
  },
});

/** All that is wrong with path, query and body is told at once, each field by its name. */
export async function readInput<S extends RouteSpec>(spec: S, req: Request, res: Response): Promise<RouteInput<S>> {
  const errors: FieldError[] = [];
  const params = parsePart(spec.params, req.params, errors);
  const query = parsePart(spec.query, singleValues(req.query, errors), errors);
  const body = spec.body && parsePart(spec.body, await readBody(req, res, errors), errors);
  if (errors.length > 0) throw unprocessable(errors);
  return { params, query, body } as RouteInput<S>;
}

function parsePart(schema: z.ZodType, value: unknown, errors: FieldError[]): unknown {
  const parsed = schema.safeParse(value, { error: nameMissing });
  if (!parsed.success) errors.push(...fieldErrors(parsed.error));
  return parsed.data;
}

const nameMissing: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : undefined;

/** `?limit=1&limit=2` arrives as an array, which nothing here means. */
function singleValues(query: Request['query'], errors: FieldError[]): Record<string, unknown> {
  const entries = Object.entries(query).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    errors.push({ path: name, message: 'must be given once' });
    return [name, value[0]];
  });
  return Object.fromEntries(entries);
}

/** A body that is left out reads as an empty object: either that will do, or the missing fields are named. */
async function readBody(req: Request, res: Response, errors: FieldError[]): Promise<unknown> {
  if (!hasBody(req)) return {};
  requireJson(req);
  await new Promise<void>((resolve, reject) => parseJson(req, res, (error) => (error ? reject(error) : resolve())));
  const hostile = findHostile(req.body, [], deepestNesting);
  if (!hostile) return req.body;
  errors.push(hostile);
  throw unprocessable(errors);
}

const hasBody = (req: Request) =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

function requireJson(req: Request): void {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw unsupportedMediaType('The body must not be compressed');
  if (!req.is(['application/json', 'application/*+json']))
    throw unsupportedMediaType('The body must be application/json');
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(req.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw unsupportedMediaType('The charset must be utf-8');
}

/** Nesting without end, and the key that would reach an object's prototype once it is copied. */
function findHostile(value: unknown, path: string[], levels: number): FieldError | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return { path: path[0] ?? '$', message: 'is nested too deeply' };
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return { path: [...path, key].join('.'), message: 'is not known' };
    const found = findHostile(item, [...path, key], levels - 1);
    if (found) return found;
  }
  return undefined;
}
