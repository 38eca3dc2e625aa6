import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { tooLarge } from './attachment.rules.ts';
import { isPublic } from './media-address.rules.ts';

export interface MediaRequest {
  url: URL;
  headers: Record<string, string>;
  publicOnly: boolean;
  mostBytes: number;
  signal: AbortSignal;
}

export interface MediaAnswer {
  status: number;
  /** Where a redirect leads. */
  location: string | undefined;
  content: Buffer;
}

export type RequestMedia = (request: MediaRequest) => Promise<MediaAnswer>;

/** One GET, no redirect followed, nothing kept beyond `mostBytes`. */
export async function requestMedia({
  url,
  headers,
  publicOnly,
  mostBytes,
  signal,
}: MediaRequest): Promise<MediaAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = (url.protocol === 'https:' ? https : http).get(url, {
    agent: false,
    headers: { ...headers, Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'ops-comms-service' },
    signal,
    ...(publicOnly && { lookup: lookupPublic }),
  });
  request.on('response', resolve).on('error', reject);
  try {
    const response = await promise;
    const status = response.statusCode ?? 0;
    const location = status >= 300 && status < 400 ? response.headers.location : undefined;
    return { status, location, content: status === 200 ? await readUpTo(response, mostBytes) : Buffer.alloc(0) };
  } finally {
    request.destroy();
  }
}

async function readUpTo(response: http.IncomingMessage, mostBytes: number): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Resolver = (
  hostname: string,
  options: dns.LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void;

/**
 * Looks at the addresses that are then connected to: a name cannot be resolved to one thing for the check and to
 * another for the connection.
 */
export const lookupOnlyPublic =
  (resolver: Resolver): LookupFunction =>
  (hostname, options, callback) =>
    resolver(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const failure = error ?? (addresses.every(({ address }) => isPublic(address)) ? null : notPublic());
      if (failure || !first) callback(failure ?? notPublic(), '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });

const lookupPublic = lookupOnlyPublic(dns.lookup);

const notPublic = () =>
  Object.assign(new Error('the name leads to an address that is not public'), { code: 'EPRIVATE' });
