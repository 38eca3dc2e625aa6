import type { AddressInfo } from 'node:net';
import type { Express } from 'express';

/** On any free port, which it tells who started it; it ends with them. */
export function listen(app: Express): void {
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
  });
  // As services do: whoever sends gives a connection up, or it may close under a request.
  server.keepAliveTimeout = 65_000;
  process.once('disconnect', () => process.exit());
}
