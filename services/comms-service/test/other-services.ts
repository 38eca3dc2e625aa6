import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { type Other, otherNames, type StandIns, startStandIns } from './stand-ins.ts';

type Answer = (name: ServiceName, asked: number) => { complete: boolean } | undefined;

export interface OtherServices extends StandIns {
  names: ServiceName[];
  /** Which items webhook-ingest was told to hold, since the last reset. */
  held: string[];
  /** What they were asked, since the last reset. */
  orders: (RetentionOrder & { name: ServiceName })[];
  /** What each says when it is asked the n-th time; undefined: it fails. */
  answer: Answer;
  /** Their answers wait for this. */
  hold: Promise<void>;
  reset(): void;
}

type Answering = Omit<OtherServices, keyof StandIns>;

/** The other services as far as a run asks them: each has one row in one place. */
export async function startOtherServices(): Promise<OtherServices> {
  const fresh = () => ({ held: [], orders: [], answer: always, hold: Promise.resolve() });
  const all: Answering = { names: otherNames, ...fresh(), reset: () => void Object.assign(all, fresh()) };
  return Object.assign(all, await startStandIns((name) => listenerOf(name, all)));
}

const always: Answer = () => ({ complete: true });

function listenerOf(name: Other, all: Answering): RequestListener {
  const respond = async (req: IncomingMessage) => {
    const order: RetentionOrder = JSON.parse(await text(req));
    all.orders.push({ name, ...order });
    const asked = all.orders.filter((one) => one.name === name).length;
    await all.hold;
    const answer = all.answer(name, asked);
    return answer && { ...answer, places: [{ service: name, place: 'rows', rows: 1 }] };
  };
  const takeHold = async (req: IncomingMessage) => {
    const { item_ids } = JSON.parse(await text(req));
    all.held.push(...item_ids);
    return { held: item_ids.length };
  };
  return async (req, res) => {
    const answer = await (req.url?.endsWith('/hold') ? takeHold(req) : respond(req));
    res.writeHead(answer ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  };
}
