import http from 'node:http';
import https from 'node:https';

export interface HttpRequest {
  url: string;
  method: 'POST';
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
}

/**
 * - `answer`: the provider answered. `bodyTaken` false: before it can have had the whole of our body.
 * - `unreached`: no byte of the request left, so nobody took it.
 * - `lost`: it left, and no answer came; `late`: in time.
 */
export type Exchange =
  | { kind: 'answer'; status: number; headers: http.IncomingHttpHeaders; body: string; bodyTaken: boolean }
  | { kind: 'unreached'; reason: string }
  | { kind: 'lost'; reason: string; late: boolean };

const mostAnswerBytes = 256 * 1024;

/**
 * One request on a connection of its own: a reset of a connection that was kept open would not tell whether the
 * request was read. Redirects are answers like any other.
 */
export function exchange({ url, method, headers, body, timeoutMs }: HttpRequest): Promise<Exchange> {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const secure = url.startsWith('https:');
  const request = (secure ? https : http).request(url, {
    method,
    agent: false,
    headers: { ...headers, 'Content-Length': String(body.length), Connection: 'close' },
  });
  let connected = false;
  const failed = (reason: string, late = false) =>
    resolve(connected ? { kind: 'lost', reason, late } : { kind: 'unreached', reason });
  const timer = setTimeout(() => {
    failed(`no answer within ${timeoutMs} ms`, true);
    request.destroy();
  }, timeoutMs);
  request.on('socket', (socket) =>
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      connected = true;
    }),
  );
  request.on('error', (error) => failed(codeOf(error)));
  request.on('response', (response) => resolve(answerOf(response, request.writableFinished)));
  request.end(body);
  return promise.finally(() => {
    clearTimeout(timer);
    request.destroy();
  });
}

/** The status has been heard by now: a body that breaks off takes nothing away from it. */
async function answerOf(response: http.IncomingMessage, bodyTaken: boolean): Promise<Exchange> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > mostAnswerBytes) break;
    }
  } catch {}
  const body = Buffer.concat(chunks).toString('utf8');
  return { kind: 'answer', status: response.statusCode ?? 0, headers: response.headers, body, bodyTaken };
}

/** Of a system error the code; never a message, which may quote what was sent. */
const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);
