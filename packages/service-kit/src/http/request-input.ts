import { notKnown } from '@ops/contracts/plain-words';
import type { FieldError } from '@ops/contracts/problem';
import type { RouteSpec } from '@ops/contracts/routes';
import express, { type Request, type Response } from 'express';
import type { z } from 'zod';
import { badRequest, fieldErrors, tooLarge, unprocessable, unsupportedMediaType } from '../errors.ts';
import { type SpooledFile, spool } from './spooled-file.ts';

/** What a route of either table says of its input. */
export type InputSpec = Pick<RouteSpec, 'params' | 'query' | 'body' | 'upload'> & { mostBytes?: number };

export interface RouteInput<S extends InputSpec> {
  params: z.infer<S['params']>;
  query: z.infer<S['query']>;
  body: S extends { upload: object } ? UploadedFile : z.infer<NonNullable<S['body']>>;
}

/** A file as it was posted. Its digest stands for it wherever requests are compared. */
export interface UploadedFile extends SpooledFile {
  mediaType: string;
}

const bodyLimit = 1024 * 1024;

/** Far above what any resource needs; a recursion over what came in can then never run out of stack. */
const deepestNesting = 32;

/**
 * `inflate: false`: a few kilobytes of gzip must not become the memory of the process. What is announced as too large is
 * refused before it is sent; the parser would hear all of it first.
 */
function bytesUpTo(limit: number): express.RequestHandler {
  const read = express.raw({ limit, inflate: false, type: () => true });
  return (req, res, next) =>
    Number(req.headers['content-length'] ?? 0) > limit
      ? next(tooLarge('The body is over the limit'))
      : read(req, res, next);
}

const readUsual = bytesUpTo(bodyLimit);

/** All that is wrong with path, query and body is told at once, each field by its name. */
export async function readInput<S extends InputSpec>(spec: S, req: Request, res: Response): Promise<RouteInput<S>> {
  const errors: FieldError[] = [];
  const params = parsePart(spec.params, req.params, errors);
  const query = parsePart(spec.query, singleValues(req.query, errors), errors);
  const body = spec.upload
    ? await readFile(req, res, spec.upload.mostBytes)
    : spec.body && parsePart(spec.body, await readBody(req, res, errors, spec.mostBytes ?? bodyLimit), errors);
  if (errors.length > 0) throw unprocessable(errors);
  return { params, query, body } as RouteInput<S>;
}

function parsePart(schema: z.ZodType, value: unknown, errors: FieldError[]): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) errors.push(...fieldErrors(parsed.error));
  return parsed.data;
}

/** `?limit=1&limit=2` arrives as an array, which nothing here means. */
function singleValues(query: Request['query'], errors: FieldError[]): Record<string, unknown> {
  const entries = Object.entries(query).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    errors.push({ path: name, message: 'must be given once' });
    return [name, value[0]];
  });
  return Object.fromEntries(entries);
}

/** What was put on disk for a request, when its handler has done with it. */
export const releaseInput = async (res: Response): Promise<void> =>
  (res.locals.spooled as SpooledFile | undefined)?.close();

async function readFile(req: Request, res: Response, mostBytes: number): Promise<UploadedFile> {
  const file = await spool(req, mostBytes);
  res.locals.spooled = file;
  if (file.size === 0) throw badRequest('The body must be the file');
  req.body = { sha256: file.sha256 };
  const [mediaType = ''] = (req.get('Content-Type') ?? '').split(';');
  return {
    ...file,
    mediaType: /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType.toLowerCase() : 'application/octet-stream',
  };
}

/** A body that is left out reads as an empty object: either that will do, or the missing fields are named. */
async function readBody(req: Request, res: Response, errors: FieldError[], mostBytes: number): Promise<unknown> {
  req.body = await readJson(req, res, mostBytes);
  const hostile = findHostile(req.body, [], deepestNesting);
  if (!hostile) return req.body;
  errors.push(hostile);
  throw unprocessable(errors);
}

/** What is sent in chunks may turn out to be nothing, and nothing needs no Content-Type. */
async function readJson(req: Request, res: Response, mostBytes: number): Promise<unknown> {
  if (!hasBody(req)) return {};
  const bytes = await readBytes(req, res, mostBytes === bodyLimit ? readUsual : bytesUpTo(mostBytes));
  if (bytes.length === 0) return {};
  requireJson(req);
  return parseJson(bytes);
}

async function readBytes(req: Request, res: Response, reader: express.RequestHandler): Promise<Buffer> {
  await new Promise<void>((resolve, reject) =>
    reader(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  );
  return req.body;
}

/** Decoding strictly: broken bytes replaced in silence would leave a record of something nobody wrote. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw badRequest(error instanceof SyntaxError ? 'The body is not valid JSON' : 'The body is not valid UTF-8');
  }
}

const hasBody = (req: Request) =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

function requireJson(req: Request): void {
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
    if (key === '__proto__') return { path: [...path, key].join('.'), message: notKnown };
    const found = findHostile(item, [...path, key], levels - 1);
    if (found) return found;
  }
  return undefined;
}
