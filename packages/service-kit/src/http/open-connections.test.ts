import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { watchConnections } from './open-connections.ts';

const quietMs = 500;

test('a request that has begun to come is waited for, however long its connection was quiet before', async () => {
  const server = createServer((_req, res) => res.setHeader('Connection', 'close').end('served'));
  const connections = watchConnections(server, { secure: false });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  const quietSince = performance.now();
  await eventually(() => expect(performance.now() - quietSince).toBeGreaterThan(quietMs));

  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n');
  await eventually(() => expect(socket.bytesRead).toBeGreaterThan(0));
  connections.closeQuiet(quietMs);
  client.write('\r\n');
  expect(Buffer.concat(await client.toArray()).toString()).toContain('served');
  await once(server.close(), 'close');
});
