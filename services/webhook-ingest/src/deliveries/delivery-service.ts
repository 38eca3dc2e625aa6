import { createHash } from 'node:crypto';
import type { Outbox } from '@ops/bus/outbox';
import { currentTrace, type Trace } from '@ops/bus/trace';
import type { InboundProvider } from '@ops/contracts/events';
import type { WebhookDeliveryDetail, WebhookDeliveryQuery } from '@ops/contracts/resources/webhook-delivery';
import { audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction, reading, type Trx } from '@ops/service-kit/database';
import { isDatabaseAway, isDatabaseUnavailable, isLostConnection } from '@ops/service-kit/database-errors';
import { conflict, notFound } from '@ops/service-kit/errors';
import { type Gathering, togetherOrAlone } from '@ops/service-kit/gathering';
import type { Logger } from '@ops/service-kit/logger';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import type { Provider, RawRequest, Reading } from '../providers/provider.ts';
import { refusedFor, summaryOf } from './delivery.rules.ts';
import * as store from './delivery-store.ts';
import { type KeptItem, type KeptReading, keepItems, notYetTaken } from './item-events.ts';
import { isReplay, type Refusals } from './refusal-service.ts';

export interface Deps {
  outbox: Outbox;
  logger: Logger;
  refusals: Refusals;
  providers: readonly Provider[];
  now(): Date;
  newId(): string;
}

/** A delivery as it is to be kept, and what was found in it. */
interface Read {
  delivery: store.NewDelivery;
  kept: KeptReading;
  problem: string | undefined;
  trace: Trace | undefined;
}

export type Receive = (provider: Provider, request: RawRequest) => Promise<void>;

/**
 * Takes in what a provider posted, once: raw payload, parts, items and events are one transaction, and only when it is
 * committed may the provider be told. The same bytes again only count. Rejects with the problem to answer.
 */
export function createReceiving(deps: Deps, db: Db): Receive {
  const keepTogether = createKeeping(deps, db);
  return async (provider, request) => {
    const { replayKey, late } = await deps.refusals.verify(provider, request);
    const delivery = deliveryOf(request, provider, deps.newId(), replayKey);
    const refusedAsReplay = (error: unknown) => {
      throw isReplay(error) ? deps.refusals.refused(provider, 'its token was used before') : error;
    };
    if (late !== undefined) {
      const refused = [{ ...delivery, ...refusedFor(late) }];
      await inTransaction(db, (trx) => store.insertDeliveries(trx, refused)).catch(refusedAsReplay);
      throw deps.refusals.refused(provider, late);
    }
    const read = await readDelivery(deps, provider, request, delivery);
    await keepTogether(read).catch(refusedAsReplay);
  };
}

const mostTogether = 16;
const mostBytesTogether = 256 * 1024;

/**
 * What comes within the few milliseconds of a commit shares the next one. Large ones go by themselves, and so do twins: each is a
 * repeat of what has been kept, and so a batch of which nobody knows whether it committed is safe to do again, one by one.
 */
function createKeeping(deps: Deps, db: Db): Gathering<Read, Read> {
  const commit = async (batch: readonly Read[]) => {
    await inTransaction(db, (trx) => keep(deps, trx, batch));
    return batch;
  };
  return togetherOrAlone({
    atOnce: 4,
    together: (batch) => commit(batch).catch((error) => againAlone(deps, batch, error)),
    alone: (one) => commit([one]).then(() => one),
    mayJoin: (batch, { delivery }) =>
      batch.length < mostTogether &&
      sizeOf(batch) + delivery.body.length <= mostBytesTogether &&
      !batch.some((other) => other.delivery.fingerprint.equals(delivery.fingerprint)),
  });
}

/** Nobody waits twice for a database that does not answer; over a connection that broke the next may go through. */
function againAlone({ logger }: Deps, batch: readonly Read[], error: unknown): undefined {
  if (batch.length === 1 || (isDatabaseAway(error) && !isLostConnection(error))) throw error;
  if (!isDatabaseUnavailable(error) && !isReplay(error))
    logger.warn({ err: error }, 'deliveries could not be kept together; each is kept by itself');
}

const sizeOf = (batch: readonly Read[]): number =>
  batch.reduce((bytes, { delivery }) => bytes + delivery.body.length, 0);

async function readDelivery(
  deps: Deps,
  provider: Provider,
  request: RawRequest,
  delivery: store.NewDelivery,
): Promise<Read> {
  const reading = await readSafely(deps, provider, request);
  const { id, received_at: receivedAt } = delivery;
  const kept = keepItems(reading, { id, provider: provider.name, receivedAt }, deps.newId);
  return { delivery, kept, problem: reading.problem, trace: currentTrace.getStore() };
}

const deliveryOf = (request: RawRequest, provider: Provider, id: string, replayKey: string | null) => ({
  id,
  provider: provider.name,
  fingerprint: fingerprintOf(request),
  replay_key: replayKey,
  path: request.path,
  content_type: request.headers['content-type'] ?? null,
  body: request.body,
  received_at: request.receivedAt,
});

async function keep(deps: Deps, trx: Trx, batch: readonly Read[]): Promise<void> {
  const hoped = batch.map(({ delivery, kept, problem }) => ({
    ...delivery,
    ...summaryOf(kept.items, kept.items, problem),
  }));
  const inserted = await store.insertDeliveries(trx, hoped);
  const fresh = batch.filter(({ delivery }) => inserted.has(delivery.id));
  const own = await publishNew(
    deps,
    trx,
    fresh.map(({ delivery, ...read }) => ({ ...read, deliveryId: delivery.id })),
  );
  for (const { delivery, kept, problem } of fresh) {
    const taken = kept.items.filter((item) => own.has(item));
    if (taken.length === kept.items.length) continue;
    await store.updateSummary(trx, delivery.id, summaryOf(kept.items, taken, problem), delivery.received_at);
  }
}

interface Found {
  deliveryId: string;
  kept: KeptReading;
  trace: Trace | undefined;
}

/** What another delivery brought before is left out, its parts too. */
async function publishNew(deps: Deps, trx: Trx, found: readonly Found[]): Promise<Set<KeptItem>> {
  const ids = await store.insertItems(
    trx,
    found.flatMap(({ deliveryId, kept }) =>
      kept.items.map((item, n) => ({ ...item, delivery_id: deliveryId, position: n + 1 })),
    ),
  );
  const own = found.map((one) => ({ ...one, items: one.kept.items.filter((item) => ids.has(item.id)) }));
  for (const { deliveryId, kept, items } of own) {
    const spokenOf = new Set(items.flatMap((item) => item.parts));
    await store.insertParts(
      trx,
      deliveryId,
      kept.parts.filter((part) => spokenOf.has(part.id)),
    );
  }
  await deps.outbox.addMany(
    trx,
    own.flatMap(({ items, trace }) => items.flatMap(({ event }) => (event === null ? [] : [{ ...event, trace }]))),
  );
  return new Set(own.flatMap(({ items }) => items));
}

/** Read again, after the reader learned something: what was published stays so, the rest gets its chance. */
export async function reprocess(deps: Deps, trx: Trx, id: string): Promise<WebhookDeliveryDetail> {
  const stored = await store.lockDelivery(trx, id);
  if (!stored) throw notFound(`There is no delivery ${id}`);
  const reading = await readSafely(deps, providerNamed(deps, stored.provider), requestOf(stored));
  const kept = keepItems(reading, { id, provider: stored.provider, receivedAt: stored.received_at }, deps.newId);
  await store.forgetNotUnderstood(trx, id);
  const items = notYetTaken(kept.items, await store.itemsOf(trx, id));
  await publishNew(deps, trx, [{ deliveryId: id, kept: { ...kept, items }, trace: currentTrace.getStore() }]);
  const summary = summaryOf(kept.items, await store.itemsOf(trx, id), reading.problem);
  const at = deps.now();
  await store.updateSummary(trx, id, summary, at);
  await audit(trx, { subject: { kind: 'webhook_delivery', id }, before: {}, after: { reprocessed_at: at } });
  return getDelivery(trx, id);
}

function requestOf({ path, content_type, body, received_at }: store.StoredDelivery): RawRequest {
  if (body === null) throw conflict('Its payload has had its time and is gone');
  return {
    method: 'POST',
    path,
    headers: { 'content-type': content_type ?? undefined },
    body,
    receivedAt: received_at,
  };
}

function providerNamed({ providers }: Deps, name: InboundProvider): Provider {
  const found = providers.find((provider) => provider.name === name);
  if (!found) throw conflict(`Nothing here reads what ${name} posts`);
  return found;
}

/** A reader that fails is a bug of ours, to be mended and the delivery read again; it is no reason to lose it. */
async function readSafely({ logger }: Deps, provider: Provider, request: RawRequest): Promise<Reading> {
  try {
    return await provider.read(request);
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    logger.error({ provider: provider.name, failure: name, at: whereOf(error) }, 'a delivery could not be read');
    return { items: [], parts: [], problem: `Reading it failed (${name})` };
  }
}

/** The place alone: a parser's message quotes what it read. */
const whereOf = (error: unknown) =>
  error instanceof Error
    ? error.stack
        ?.split('\n')
        .find((frame) => frame.startsWith('    at '))
        ?.trim()
    : undefined;

/** The path belongs to it: two status callbacks of one wording may be about two attempts. */
const fingerprintOf = ({ path, body }: RawRequest) =>
  createHash('sha256')
    .update(`${Buffer.byteLength(path)}:${path}`)
    .update(body)
    .digest();

export async function listDeliveries(db: Db, query: WebhookDeliveryQuery) {
  const position = decodeCursor(query.cursor, ['uuid']);
  const found = await store.listDeliveries(db, { ...query, limit: query.limit + 1 }, position?.[0]);
  return toPage(found, query.limit, (delivery) => [delivery.id]);
}

export async function getDelivery(db: Db | Trx, id: string): Promise<WebhookDeliveryDetail> {
  const found = await store.getDelivery(db, id);
  if (!found) throw notFound(`There is no delivery ${id}`);
  return found;
}

const aDay = 86_400_000;

/** For longer than a run takes, and no longer: each run says anew whose they are. */
export const holdDeliveries = ({ now }: Deps, db: Db, itemIds: readonly string[]): Promise<number> =>
  store.holdDeliveries(db, itemIds, new Date(now().getTime() + aDay));

/** Large ones are compressed where they lie, and opened anew for each piece: few pieces, then. */
const pieceBytes = 4 * 1024 * 1024;

/** Read as fast as whoever asked takes it. */
export async function bodyOf(db: Db, id: string): Promise<AsyncIterable<Buffer>> {
  const first = await store.pieceOfBody(db, id, 0, pieceBytes);
  if (!first) throw notFound(`What the delivery ${id} said is not there`);
  return pieces(db, id, first);
}

async function* pieces(db: Db, id: string, first: Buffer): AsyncGenerator<Buffer> {
  let piece: Buffer | undefined = first;
  for (let at = 0; piece !== undefined && piece.length > 0; ) {
    yield piece;
    at += piece.length;
    const from = at;
    piece = await reading(() => store.pieceOfBody(db, id, from, pieceBytes));
  }
  if (!piece) throw new Error('a delivery was emptied while it was read');
}

export async function getPart(db: Db, id: string): Promise<store.StoredPart> {
  const found = await store.getPart(db, id);
  if (!found) throw notFound(`There is no part ${id}`);
  return found;
}
