import type { NewEvent } from '@ops/bus/outbox';
import { currentTrace, type Trace, traceOf } from '@ops/bus/trace';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventOf } from '@ops/contracts/events';
import type { Failure, OutsideType } from '@ops/contracts/resources/communication';
import { holdMerges } from '@ops/following/merge-service';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps, SendingDeps } from '../deps.ts';
import type { OutboundProvider } from '../senders/sender.ts';
import { deliveryUpdated, hear, isNews, type News, type Send } from './send.rules.ts';
import * as store from './send-store.ts';
import { cancelled } from './try.rules.ts';

export const providerOf: Record<OutsideType, OutboundProvider> = {
  MESSAGING_APP: 'cloud-api',
  EMAIL: 'smtp',
  SMS: 'twilio',
};

export { moveSends } from './send-store.ts';

type Queued = EventOf<'communication.queued'>;

export async function queueSends(deps: SendingDeps, trx: Trx, queued: readonly Queued[]): Promise<void> {
  await holdMerges(trx);
  const now = deps.now();
  const automated = queued.map(({ data }) => data).filter((data) => data.automated);
  const guarded = await deps.guard.queued(trx, automated);
  await store.insertSends(
    trx,
    queued.map((event) => newSend(deps, event, guarded.has(event.data.communication_id), now)),
  );
  const causes = new Map(queued.map((event) => [event.data.communication_id, event]));
  await stopSends(deps, trx, new Map([...guarded].filter(isStopped)), { causes });
}

const isStopped = (one: [id: string, reason: Failure | null]): one is [string, Failure] => one[1] !== null;

/**
 * What has not left yet of these messages does not leave. Answers those of which nothing ever did, nor will. `causes`: what
 * each follows from, where several are handled together. `sparesResends`: of these, what a person had sent again leaves.
 */
export async function stopSends(
  deps: Deps,
  trx: Trx,
  reasons: ReadonlyMap<string, Failure>,
  { causes, sparesResends }: Stopping = {},
): Promise<ReadonlySet<string>> {
  const neverLeft = new Set(reasons.keys());
  if (neverLeft.size === 0) return neverLeft;
  for (const send of await store.lockSendsOf(trx, [...reasons.keys()])) {
    const { communication_id, attempt, status, on_wire } = send;
    const isSpared = attempt > 1 && sparesResends?.has(communication_id);
    if (isSpared || on_wire || !(status === 'QUEUED' || status === 'CANCELLED')) neverLeft.delete(communication_id);
    if (isSpared || status !== 'QUEUED') continue;
    const stopIt = () => stop(deps, trx, send, reasons.get(communication_id) as Failure);
    const cause = causes?.get(communication_id);
    await (cause ? currentTrace.run(traceOf(cause), stopIt) : stopIt());
  }
  return neverLeft;
}

interface Stopping {
  causes?: ReadonlyMap<string, Envelope>;
  sparesResends?: ReadonlySet<string>;
}

/** What is on the wire at this moment may arrive; it only is not tried again. */
async function stop(deps: Deps, trx: Trx, send: store.Stoppable, reason: Failure): Promise<void> {
  if (send.on_wire) return store.stopRetrying(trx, send.id, reason);
  await recordNews(deps, trx, send, [cancelled(deps.now(), reason)]);
  await store.release(trx, [send.id]);
}

/** A guarded message has its hours from its first try on: however late that is, it is still of use, or the guard stops it. */
function newSend(deps: Deps, event: Queued, isGuarded: boolean, now: Date): store.NewSend {
  const { customer_id, communication_id, attempt, type, send_after } = event.data;
  const { to, user_id, subject, body, attachments, thread, locale, window_open_until, template, automated } =
    event.data;
  const due = send_after === null ? now : new Date(send_after);
  return {
    id: uuidv7(),
    customer_id,
    communication_id,
    attempt,
    type,
    provider: providerOf[type],
    message: { to, user_id, subject, body, attachments, thread, locale, window_open_until, template, automated },
    trace: traceOf(event),
    due_at: due,
    next_try_at: due,
    expires_at: isGuarded ? null : new Date(Math.max(due.getTime(), now.getTime()) + deps.expiresAfterMs),
    created_at: now,
  };
}

/** What was heard of a send. */
export interface Heard {
  send: Send;
  news: readonly News[];
  /** What it belongs to, where several are recorded together. */
  trace?: Trace | undefined;
}

export const recordNews = (deps: Deps, trx: Trx, send: Send, news: readonly News[]): Promise<void> =>
  recordAllNews(deps, trx, [{ send, news }]);

/** Everything heard of sends ends here, whoever heard it; others are told in the same transaction. Each send once. */
export async function recordAllNews({ outbox }: Deps, trx: Trx, heard: readonly Heard[]): Promise<void> {
  const told: NewEvent<'delivery.updated'>[] = [];
  const known = heard.map(({ send, news, trace }) =>
    news.reduce((before, one) => {
      const after = hear(before, one);
      if (isNews(before, one)) told.push({ type: 'delivery.updated', data: deliveryUpdated(after, one), trace });
      return after;
    }, send),
  );
  await store.saveHeard(trx, known);
  await outbox.addMany(trx, told);
}
