import type { ClientRequest, IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { tooLarge } from '@ops/service-kit/errors';
import type { Pace } from './pace.ts';

const atOnce: Pace = (goOn) => goOn();

/**
 * The request's body, cut off by an error once it is over the limit; never held in memory. It goes into a request to a
 * service only once that is connected: what met a closed door has taken nothing of it.
 */
export class LimitedBody extends Transform {
  readonly #mostBytes: number;
  readonly #pace: Pace;
  #seen = 0;
  #given = false;

  /** Throws at once when the length it announces is over already. */
  constructor(req: IncomingMessage, mostBytes: number, pace = atOnce) {
    super();
    this.#mostBytes = mostBytes;
    this.#pace = pace;
    if (Number(req.headers['content-length'] ?? 0) > mostBytes) throw this.#refusal();
    // Whoever consumes it reads `errored`; without a listener of ours an early failure would end the process.
    this.on('error', () => {});
    req.once('error', (error) => this.destroy(error));
    req.pipe(this);
  }

  /** Whether all of it can still be sent: nothing was, or there is nothing to send. */
  get isWhole(): boolean {
    return !this.#given || (this.readableEnded && this.#seen === 0);
  }

  override pipe<T extends NodeJS.WritableStream>(to: T): T {
    const upstream = to as unknown as ClientRequest;
    const give = () => {
      this.#given = true;
      if (this.readableEnded) upstream.end();
      else super.pipe(to);
    };
    const { socket } = upstream;
    if (!socket?.connecting) give();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', give);
    return to;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#seen += chunk.length;
    if (this.#seen > this.#mostBytes) done(this.#refusal());
    else this.#pace(() => done(null, chunk));
  }

  #refusal = () => tooLarge(`The body is over the limit of ${this.#mostBytes} bytes`);
}
