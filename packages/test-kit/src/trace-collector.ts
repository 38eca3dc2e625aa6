import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Span {
  traceId: string;
  id: string;
  parentId: string | undefined;
  /** The process that told of it. */
  service: string;
  name: string;
  startMs: number;
  ms: number;
  failed: boolean;
  attributes: Record<string, unknown>;
  /** Traces it is linked to. */
  links: string[];
}

/** Takes spans as a collector does: OTLP, JSON over HTTP. */
export interface TraceCollector {
  url: string;
  spans(): Span[];
  /** How it answers from now on; 200 at first. */
  answer(status: number): void;
  /** How many requests it answered otherwise. */
  refused(): number;
  /** Those of the newest request. */
  headers(): IncomingHttpHeaders;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: Span[] = [];
  let status = 200;
  let refused = 0;
  let headers: IncomingHttpHeaders = {};
  const server = createServer(async (req, res) => {
    const told = (await json(req)) as Told;
    headers = req.headers;
    const answer = req.url === '/v1/traces' ? status : 404;
    if (answer === 200) spans.push(...read(told));
    else refused += 1;
    res.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    answer: (next) => {
      status = next;
    },
    refused: () => refused,
    headers: () => headers,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface ToldAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface Told {
  resourceSpans: {
    resource: { attributes: ToldAttribute[] };
    scopeSpans: {
      spans: {
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        name: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        status: { code?: number };
        attributes: ToldAttribute[];
        links: { traceId: string }[];
      }[];
    }[];
  }[];
}

const failedStatus = 2;

const read = ({ resourceSpans }: Told): Span[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map((span) => ({
        traceId: span.traceId,
        id: span.spanId,
        parentId: span.parentSpanId || undefined,
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        startMs: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
        ms: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        failed: span.status.code === failedStatus,
        attributes: valuesOf(span.attributes),
        links: span.links.map(({ traceId }) => traceId),
      })),
  );

const valuesOf = (attributes: ToldAttribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
