import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RetentionOrder } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { listen } from '@ops/service-kit/http-server';

type Answer = (name: ServiceName, asked: number) => { complete: boolean } | undefined;

export interface OtherServices {
  names: ServiceName[];
  settings: Record<string, string>;
  /** What they were asked, since the last reset. */
  orders: (RetentionOrder & { name: ServiceName })[];
  /** What each says when it is asked the n-th time; undefined: it fails. */
  answer: Answer;
  /** Their answers wait for this. */
  hold: Promise<void>;
  reset(): void;
  close(): Promise<void>;
}

const addresses = {
  'renewals-service': 'RENEWALS_SERVICE_URL',
  'webhook-ingest': 'WEBHOOK_INGEST_URL',
  notifier: 'NOTIFIER_URL',
} as const;

/** The other services as far as a run asks them: each has one row in one place. */
export async function startOtherServices(): Promise<OtherServices> {
  const names = Object.keys(addresses) as (keyof typeof addresses)[];
  const all: OtherServices = {
    names,
    settings: {},
    orders: [],
    answer: always,
    hold: Promise.resolve(),
    reset: () => Object.assign(all, { orders: [], answer: always, hold: Promise.resolve() }),
    close: async () => void (await Promise.all(servers.map(({ close }) => close()))),
  };
  const servers = await Promise.all(names.map((name) => serve(name, all)));
  for (const [n, name] of names.entries()) all.settings[addresses[name]] = `http://127.0.0.1:${servers[n]?.port}`;
  return all;
}

const always: Answer = () => ({ complete: true });

function serve(name: ServiceName, all: OtherServices) {
  const respond = async (req: IncomingMessage) => {
    const order: RetentionOrder = JSON.parse(await text(req));
    all.orders.push({ name, ...order });
    const asked = all.orders.filter((one) => one.name === name).length;
    await all.hold;
    const answer = all.answer(name, asked);
    return answer && { ...answer, places: [{ service: name, place: 'rows', rows: 1 }] };
  };
  const listener: RequestListener = async (req, res) => {
    const answer = await respond(req);
    res.writeHead(answer ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  };
  return listen(listener, { host: '127.0.0.1', port: 0 });
}
