import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Db } from '@ops/service-kit/database';
import { badRequest, forbidden, ProblemError, tooLarge, unsupportedMediaType } from '@ops/service-kit/errors';
import { sendAnswer } from '@ops/service-kit/http-answers';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Provider, RawRequest } from '../providers/provider.ts';
import { type Deps, receive } from './delivery-service.ts';
import { createPlaces } from './large-bodies.ts';

/** The door for providers: bytes and headers come in, nothing of them is parsed before their signature is good. */
export function mountWebhookRoutes(http: HttpApp, db: Db, deps: Deps): void {
  for (const provider of deps.providers) {
    mountTaking(http, db, deps, provider);
    if (provider.challenge) mountChallenge(http, provider);
  }
}

function mountTaking(http: HttpApp, db: Db, deps: Deps, provider: Provider): void {
  const inPlace = createPlaces();
  const { mediaType, body } = provider.answer ?? { mediaType: 'text/plain', body: '' };
  http.app.post(provider.webhookPath, async (req, res) => {
    const headers = headersOf(req);
    if (provider.admit?.(headers) === false) throw deps.refusals.refused(provider, 'its credentials are not ours');
    await inPlace(announcedBytes(req, provider), async () => {
      const bytes = await readBytes(req, res, provider.mostBytes);
      const request = { path: req.originalUrl, headers, body: bytes, receivedAt: deps.now() };
      await receive(deps, db, provider, { method: 'POST', ...request });
    });
    http.committed();
    sendAnswer(res, { status: 200, headers: { 'Content-Type': `${mediaType}; charset=utf-8` }, body });
  });
}

function mountChallenge(http: HttpApp, provider: Provider): void {
  http.app.get(provider.webhookPath, async (req, res) => {
    const { searchParams } = new URL(req.originalUrl, 'http://webhooks');
    const body = provider.challenge?.(searchParams) ?? null;
    if (body === null) throw forbidden('The challenge does not carry our token');
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
    sendAnswer(res, { status: 200, headers, body });
  });
}

const headersOf = ({ headers }: IncomingMessage): RawRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

/** What does not say how long it is may be as long as is allowed. */
function announcedBytes({ headers }: IncomingMessage, { mostBytes }: Provider): number {
  const length = headers['content-length'];
  return length === undefined && headers['transfer-encoding'] !== undefined ? mostBytes : Number(length ?? 0);
}

/**
 * Signatures are over the bytes as they came, so nothing is inflated. One over the limit is refused before it is read
 * whole, and its connection ends: a body parser, and Node after it, would read the rest to throw it away.
 */
async function readBytes(req: IncomingMessage, res: ServerResponse, limit: number): Promise<Buffer> {
  if ((req.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupportedMediaType('The body must not be compressed');
  try {
    return await bytesUpTo(limit, req);
  } catch (error) {
    res.setHeader('Connection', 'close');
    throw error instanceof ProblemError ? error : badRequest('The request ended before its body did');
  }
}

async function bytesUpTo(limit: number, req: IncomingMessage): Promise<Buffer> {
  const refusal = () => tooLarge(`The body is over the limit of ${limit} bytes`);
  if (Number(req.headers['content-length'] ?? 0) > limit) throw refusal();
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    read += chunk.length;
    if (read > limit) throw refusal();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, read);
}
