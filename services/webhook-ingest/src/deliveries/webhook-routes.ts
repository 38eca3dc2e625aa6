import type { IncomingMessage } from 'node:http';
import { clientNetworkHeader, mostWebhookBytes } from '@ops/contracts/webhooks';
import type { Db } from '@ops/service-kit/database';
import { forbidden, unsupportedMediaType } from '@ops/service-kit/errors';
import { sendAnswer } from '@ops/service-kit/http-answers';
import type { HttpApp } from '@ops/service-kit/http-app';
import { createRoom } from '@ops/service-kit/room';
import type { Provider, RawRequest } from '../providers/provider.ts';
import { type Body, readBody, throwAway } from './body-reader.ts';
import { createReceiving, type Deps, type Receive } from './delivery-service.ts';
import { createIntake, type Intake } from './intake-service.ts';

/**
 * The door for providers: bytes and headers come in, nothing of them is parsed before their signature is good. Who shows by
 * the header alone that no provider sends it is not read at all; so is everybody at the door of one that is not set up.
 */
export function mountWebhookRoutes(http: HttpApp, db: Db, deps: Deps): void {
  const intake = createIntake();
  const receive = createReceiving(deps, db);
  // Some batches' worth, and as long as the most impatient provider leaves us: not all of them post again after a 503.
  const inTurn = createRoom({ atOnce: 64, longestMs: 10_000 });
  const receiveInTurn: Receive = (provider, request) => inTurn(() => receive(provider, request));
  for (const provider of deps.providers) {
    mountTaking(http, deps, provider, intake, receiveInTurn);
    if (provider.challenge) mountChallenge(http, provider);
  }
}

function mountTaking(http: HttpApp, deps: Deps, provider: Provider, intake: Intake, receive: Receive): void {
  const { mediaType, body } = provider.answer ?? { mediaType: 'text/plain', body: '' };
  http.app.post(provider.webhookPath, async (req, res) => {
    const headers = headersOf(req);
    const { bytes, release } = await bodyOf(req, headers, deps, provider, intake).catch(async (error: unknown) => {
      // Node would go on reading, however much there is.
      if (!(await throwAway(req, mostWebhookBytes(provider.webhookPath)))) res.setHeader('Connection', 'close');
      throw error;
    });
    try {
      const request = { path: req.originalUrl, headers, body: bytes, receivedAt: deps.now() };
      await receive(provider, { method: 'POST', ...request });
    } finally {
      release();
    }
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

/** Signatures are over the bytes as they came, so nothing is inflated. */
async function bodyOf(
  req: IncomingMessage,
  headers: RawRequest['headers'],
  deps: Deps,
  provider: Provider,
  intake: Intake,
): Promise<Body> {
  const reason = provider.turnsAway(headers);
  if (reason !== undefined) throw deps.refusals.refused(provider, reason);
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
    throw unsupportedMediaType('The body must not be compressed');
  const length = headers['content-length'];
  const limits = {
    mostBytes: mostWebhookBytes(provider.webhookPath),
    announced: length === undefined ? undefined : Number(length),
  };
  return readBody(req, { network: networkOf(req), proven: provider.proof === 'header' }, intake, limits);
}

/** As the gateway tells it; who calls without the gateway is one of a kind. */
function networkOf({ headers, socket }: IncomingMessage): string {
  const told = headers[clientNetworkHeader];
  return typeof told === 'string' ? told : (socket.remoteAddress ?? '');
}
