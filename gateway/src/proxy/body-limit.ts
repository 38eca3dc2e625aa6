import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { tooLarge } from '@ops/service-kit/errors';
import type { Pace } from './pace.ts';

const atOnce: Pace = (goOn) => goOn();

/**
 * The request's body, cut off by an error once it is over the limit; never held in memory. Throws at once when the length
 * it announces is over already.
 */
export function limitedBody(req: IncomingMessage, mostBytes: number, pace = atOnce): Readable {
  const refusal = () => tooLarge(`The body is over the limit of ${mostBytes} bytes`);
  if (Number(req.headers['content-length'] ?? 0) > mostBytes) throw refusal();
  let seen = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > mostBytes) done(refusal());
      else pace(() => done(null, chunk));
    },
  });
  // Whoever consumes it reads `errored`; without a listener of ours an early failure would end the process.
  counted.on('error', () => {});
  req.once('error', (error) => counted.destroy(error));
  return req.pipe(counted);
}
