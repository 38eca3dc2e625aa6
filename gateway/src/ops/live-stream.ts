import type { Bus, Subscription } from '@ops/bus/port';
import { beginSpan, endSpan, messageId, SpanKind } from '@ops/bus/spans';
import type { Envelope } from '@ops/contracts/envelope';
import { liveEventTypes } from '@ops/contracts/events';
import { tooManyRequests } from '@ops/service-kit/errors';
import type { Logger } from '@ops/service-kit/logger';
import type { Response } from 'express';
import type { Caller } from '../sign-in/authentication.ts';

export interface LiveStreamOptions {
  bus: Pick<Bus, 'tap'>;
  logger: Logger;
  heartbeatMs?: number;
  /** A client that lets this much pile up is cut off; it comes back and fetches again. */
  mostBufferedBytes?: number;
  /** Wait before trying again to listen to the bus. */
  retryMs?: number;
}

export interface LiveStream {
  /** Listens to the bus from now on, trying again until it can. */
  start(): void;
  listening(): boolean;
  /** How many clients are connected. */
  clients(): number;
  /** Sends live changes to this client until it goes, or until its sign-in ends; refused to who has enough of them. */
  open(res: Response, caller: Caller): void;
  /** Ends those of a session that is over. */
  endSession(id: string): void;
  close(): Promise<void>;
}

/**
 * One tap of the bus for every open screen of this process. There is no replay: the first event of each connection, and the
 * one after any gap, is `reset`, upon which a client fetches again what it shows. A fresh connection gets it too: what was
 * fetched before the connection stood may have changed since.
 */
export function createLiveStream(options: LiveStreamOptions): LiveStream {
  const { bus, logger, heartbeatMs = 15_000, mostBufferedBytes = 256 * 1024, retryMs = 1000 } = options;
  /** Each with the session it came by; programs have none. */
  const clients = new Map<Response, string | undefined>();
  const perPerson = new Map<string, number>();
  let tap: Subscription | undefined;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const send = (text: string) => {
    for (const client of clients.keys()) sendTo(client, text, mostBufferedBytes);
  };
  const show = (event: Envelope) => {
    if (clients.size === 0) return;
    const attributes = { ...messageId(event), screens: clients.size };
    const span = beginSpan(`show ${event.type}`, event.traceparent, { kind: SpanKind.CONSUMER, attributes });
    send(eventText(event));
    endSpan(span);
  };
  const listen = async () => {
    const subscription = await bus.tap(liveEventTypes, {
      event: show,
      reset: () => send(reset),
    });
    if (closed) return subscription.close();
    tap = subscription;
    send(reset);
  };
  const start = () => {
    listen().catch((error) => {
      logger.warn({ err: error }, 'the live stream cannot listen to the bus yet');
      if (!closed) retry = setTimeout(start, retryMs);
    });
  };
  const heartbeats = setInterval(send, heartbeatMs, heartbeat).unref();

  return {
    start,
    listening: () => tap !== undefined,
    clients: () => clients.size,
    open(res, { actor, expiresAt, session }) {
      // Of who left while it was looked up who they are, nothing tells any more that they did.
      if (res.closed) return;
      const person = `${actor.role} ${actor.sub}`;
      const open = perPerson.get(person) ?? 0;
      if (open >= mostOfAPerson) throw tooManyRequests(retryAfterSeconds);
      perPerson.set(person, open + 1);
      const over = closed || res.req.method === 'HEAD';
      if (!over) clients.set(res, session?.id);
      const cancelEnd = at(expiresAt, () => res.end());
      res.once('close', () => {
        clients.delete(res);
        forgetOne(perPerson, person);
        cancelEnd();
      });
      res.writeHead(200, streamHeaders);
      res.write(`retry: 2000\n${reset}`);
      if (over) res.end();
    },
    endSession(id) {
      for (const [client, session] of clients) if (session === id) client.end();
    },
    async close() {
      closed = true;
      clearInterval(heartbeats);
      clearTimeout(retry);
      for (const client of clients.keys()) client.end();
      await tap?.close();
    },
  };
}

/** More screens than anybody has; whoever wants to hold all of the process's connections has to be many. */
const mostOfAPerson = 50;
const retryAfterSeconds = 60;

function forgetOne(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1;
  if (left > 0) counts.set(key, left);
  else counts.delete(key);
}

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
  // Kept open and idle after the end, it would hold a shutdown up.
  Connection: 'close',
};

/** An event, and no comment, which a page could not see: one that hears none knows that its connection is dead. */
const heartbeat = 'event: heartbeat\ndata: {}\n\n';
const reset = 'event: reset\ndata: {}\n\n';

/** The change itself; how it travelled (trace, versions of the envelope) is nobody's business on a screen. */
function eventText({ id, type, subject, time, data }: Envelope): string {
  return `event: ${type}\ndata: ${JSON.stringify({ id, type, subject, time, data })}\n\n`;
}

function sendTo(client: Response, text: string, mostBufferedBytes: number): void {
  client.write(text);
  if (client.writableLength > mostBufferedBytes) client.destroy();
}

/** Timers hold 24.8 days at most; a later end is looked at again then. */
const longestTimer = 2 ** 31 - 1;

function at(moment: Date, action: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = () => {
    const left = moment.getTime() - Date.now();
    timer = left > longestTimer ? setTimeout(arm, longestTimer) : setTimeout(action, Math.max(left, 0));
    timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
