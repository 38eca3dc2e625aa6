import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** A port nobody else can take until it is released, which its future owner does just before it listens itself. */
export interface ReservedPort {
  port: number;
  release(): Promise<void>;
}

/** Below what the kernel hands to outgoing connections, so that no chance connection sits on a port between two starts. */
const range = { from: 18_000, to: 32_000 };

/** A free port of 127.0.0.1; two runs that choose at once never get the same one. */
export async function reservePort(): Promise<ReservedPort> {
  for (let tries = 0; tries < 200; tries += 1) {
    const server = await listen(randomInt(range.from, range.to), '127.0.0.1').catch(() => undefined);
    if (server) return held(server);
  }
  throw new Error(`no free port between ${range.from} and ${range.to}`);
}

/** This very port on every interface (0: any free one); rejects with EADDRINUSE when somebody has it. */
export async function reserveGivenPort(port: number): Promise<ReservedPort> {
  return port === 0 ? reservePort() : held(await listen(port));
}

function listen(port: number, host?: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}

function held(server: Server): ReservedPort {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP port');
  server.unref();
  return { port: address.port, release: () => new Promise((resolve) => void server.close(() => resolve())) };
}
