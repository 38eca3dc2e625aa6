import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { toProblem } from '../errors.ts';

/** A response as it goes out, and as it is kept for a repeated request. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A file as it goes out; never kept for a repeat. */
export interface FileAnswer extends Omit<Answer, 'body'> {
  /** What comes in pieces is sent as it comes. */
  body: Buffer | AsyncIterable<string | Buffer>;
}

export function jsonAnswer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

export function problemAnswer(error: unknown, requestId: string): Answer {
  const { problem, headers } = toProblem(error, requestId);
  return {
    status: problem.status,
    headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
    body: JSON.stringify(problem),
  };
}

/**
 * Written by hand rather than by express, which would answer 304 from the ETag alone: a customer's unread count moves
 * without its version. An answer already under way cannot become an error any more, so its connection ends instead.
 */
export function sendAnswer(res: ServerResponse, { status, headers, body }: Answer | FileAnswer): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const all = { 'Cache-Control': 'no-store', ...headers };
  if (typeof body === 'string' || Buffer.isBuffer(body)) {
    res.writeHead(status, { ...all, 'Content-Length': Buffer.byteLength(body) });
    res.end(body);
  } else sendPieces(res.writeHead(status, all), body);
}

/** A file that breaks off ends its connection: whoever reads it sees that it is not whole. */
const sendPieces = (res: ServerResponse, pieces: AsyncIterable<string | Buffer>): void =>
  void pipeline(Readable.from(pieces), res, () => {});
