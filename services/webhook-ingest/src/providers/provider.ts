import type { EventData, InboundProvider } from '@ops/contracts/events';
import type { WebhookPath } from '@ops/contracts/webhooks';

/** A request as the provider made it, its bytes untouched. */
export interface RawRequest {
  method: 'GET' | 'POST';
  /** Path and query, as the provider called it. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  body: Buffer;
  receivedAt: Date;
}

/**
 * `replayKey`: good for one body alone; the same key with another body is somebody else's replay. `reason` is one of a
 * few fixed sentences, and holds nothing of the request: it is logged. `lateKey`: the provider signed it, but so long ago
 * that it is refused as a replay. It may as well be what we could not take in time, so it is kept for somebody to judge.
 */
export type Verdict = { ok: true; replayKey?: string } | { ok: false; reason: string; lateKey?: string };

/** What the core adds: where and when it was kept. */
type Kept = 'delivery_id' | 'item_id' | 'received_at';
export type MessageData = Omit<EventData<'provider.message.received'>, Kept>;
export type ReceiptData = Omit<EventData<'provider.receipt.received'>, Kept>;

/** What holds of a message unless its provider says otherwise. */
export const usual = {
  direction: 'INBOUND',
  imported: false,
  forwarded: false,
  group: null,
  opted_out: null,
  contacts: [] as MessageData['contacts'],
  place: null,
} as const satisfies Partial<MessageData>;

/**
 * One thing a delivery says. What is not understood is kept beside the rest, and never stops it. Nothing in it may
 * depend on when or how often the delivery is read, but for `receivedAt` of the request, which is kept.
 * `variant`: tells apart messages that share an id, where ids are given by whoever writes.
 */
export type Item =
  | { message: MessageData; variant?: string }
  | { receipt: ReceiptData }
  | { notUnderstood: string; kind: string; external_id: string };

/** Begins the variant of a message of a phone's history: what came by itself is another item. */
export const ofHistory = 'history';

/** Begins the variant of a mail that could not be read: a later reader may make more of it. */
export const unreadableMail = 'unreadable:';

/** Too large for the bus: kept here until it is pulled. The id is the `ref` of a message's part. */
export interface Part {
  id: string;
  role: 'file' | 'html' | 'original';
  name: string | null;
  mediaType: string;
  contentId: string | null;
  bytes: Buffer;
}

export interface Reading {
  items: Item[];
  parts: Part[];
  /** Why the delivery as a whole was not understood. */
  problem?: string;
}

/**
 * A provider is one folder: verify, read, tests. It knows neither HTTP nor the database. One whose secrets are not
 * configured refuses everything.
 */
export interface Provider {
  name: InboundProvider;
  webhookPath: WebhookPath;
  /** What the provider takes for an answer; an empty 200 if left out. */
  answer?: { mediaType: string; body: string };
  /** What shows that the provider sends it: the header alone, or a signature that is only as good as the body. */
  proof: 'header' | 'body';
  /** Why a request is refused before its body is read, as a verdict's reason; also while the provider is not set up. */
  turnsAway(headers: RawRequest['headers']): string | undefined;
  /** Whether the provider sent these very bytes. */
  verify(request: RawRequest): Verdict | Promise<Verdict>;
  /**
   * Of a verified request; what throws here is kept as not understood. It may lean on the path, the content-type, the
   * body and the time alone: that is what is kept for reading it again.
   */
  read(request: RawRequest): Promise<Reading>;
  /** The answer to a GET that asks whether we are there: the text to give back, or null to refuse. */
  challenge?(query: URLSearchParams): string | null;
}
