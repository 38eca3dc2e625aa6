import type { RequestListener } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ExportOrder } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import { type Other, type StandIns, startStandIns } from './stand-ins.ts';

/** What one of them does when it is asked for its part. */
interface Telling {
  lines: object[];
  /** It cannot answer. */
  away?: boolean;
  /** Its process dies after these lines. */
  dies?: boolean;
  /** It has more to tell than anybody takes. */
  goesOn?: boolean;
  /** It ends after this. */
  waits?: Promise<void>;
}

/** The other services as far as an archive asks them. */
export interface TellingServices extends StandIns {
  telling: Record<Other, Telling>;
  orders: Partial<Record<ServiceName, ExportOrder>>;
  /** What webhook-ingest gives as the body of a delivery, by its id. */
  bodies: Record<string, Buffer>;
  /** Answers that were begun and neither ended nor given up. */
  open(): number;
  reset(): void;
}

const filler = `${JSON.stringify({ row: { text: 'x'.repeat(10_000) } })}\n`;

async function* linesOf({ lines, dies, goesOn, waits }: Telling): AsyncGenerator<string> {
  for (const line of lines.slice(0, -1)) yield `${JSON.stringify(line)}\n`;
  await waits;
  for (const line of lines.slice(-1)) yield `${JSON.stringify(line)}\n`;
  while (goesOn) yield filler;
  if (dies) throw new Error('its process died');
}

const saysNothing = (): Telling => ({ lines: [{ end: true }] });
const quiet = (): TellingServices['telling'] => ({
  'renewals-service': saysNothing(),
  'webhook-ingest': saysNothing(),
  notifier: saysNothing(),
});

export async function startTellingServices(): Promise<TellingServices> {
  const underway = new Set<object>();
  const fresh = () => ({ telling: quiet(), orders: {}, bodies: {} });
  const all: Omit<TellingServices, keyof StandIns> = {
    ...fresh(),
    open: () => underway.size,
    reset: () => void Object.assign(all, fresh()),
  };
  const listenerOf =
    (name: Other): RequestListener =>
    async (req, res) => {
      underway.add(res);
      res.once('close', () => underway.delete(res));
      const telling = all.telling[name];
      const [, body] = /deliveries\/([^/]+)\/body$/.exec(req.url ?? '') ?? [];
      if (body !== undefined) return void res.end(all.bodies[body]);
      all.orders[name] = JSON.parse(await text(req));
      if (telling.away) return void res.writeHead(503).end();
      pipeline(Readable.from(linesOf(telling)), res, () => {});
    };
  return Object.assign(all, await startStandIns(listenerOf));
}
