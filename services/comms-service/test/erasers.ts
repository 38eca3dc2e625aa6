import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ErasureOrder, ErasureOutcome } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { type StandIns, startStandIns } from './stand-ins.ts';

export interface OtherErasers extends StandIns {
  orders: (ErasureOrder & { name: ServiceName })[];
  /** Whether anything of anybody is to be renewed. */
  isActive: boolean;
  /** What each says of an order; undefined: it is away. */
  answer: (name: ServiceName, order: ErasureOrder) => Partial<ErasureOutcome> | undefined;
}

type Answering = Omit<OtherErasers, keyof StandIns>;

/** The other services as far as an erasure asks them: each finds nothing, unless told. */
export async function startOtherErasers(): Promise<OtherErasers> {
  const all: Answering = { orders: [], isActive: false, answer: () => ({}) };
  const standIns = await startStandIns((name) => async (req, res) => {
    const answer = await respond(all, name, req);
    res.writeHead(answer ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  });
  return Object.assign(all, standIns);
}

const due = { id: '0190a000-0000-7000-8000-000000000009', service_type: 'WORK_PERMIT', due_date: '2030-01-31' };

async function respond(all: Answering, name: ServiceName, req: IncomingMessage) {
  const body = JSON.parse(await text(req));
  if (req.url === '/internal/renewals/next')
    return { data: all.isActive ? [{ ...due, customer_id: body.customer_ids[0] }] : [] };
  all.orders.push({ name, ...body });
  const answer = all.answer(name, body);
  return answer && { places: [], changed: 0, waits: 0, events: [], next: null, ...answer };
}
