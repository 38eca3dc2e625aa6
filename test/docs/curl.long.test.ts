import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const standIn = join(import.meta.dirname, 'curl.ts');
let server: Server;
let address: string;
beforeAll(async () => {
  server = createServer(async (req, res) => {
    const { method, url, headers } = req;
    res.statusCode = Number(url?.slice(1) || 200);
    res.end(
      JSON.stringify({
        method,
        type: headers['content-type'],
        own: headers['x-own'],
        who: headers.authorization,
        body: await text(req),
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const run = (...args: string[]) =>
  new Promise<{ code: unknown; out: string }>((resolve) => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = execFile(process.execPath, [standIn, ...args], { env }, (error, out) =>
      resolve({ code: error?.code ?? 0, out }),
    );
    child.stdin?.end('piped\r\n');
  });

test.each<[string[], object]>([
  [['-s'], { method: 'GET', body: '' }],
  [['-sX', 'PUT', '-H', 'x-own: a:b', '-d', 'told'], { method: 'PUT', own: 'a:b', body: 'told' }],
  [['-u', 'a:b', '--data-binary', '@-'], { method: 'POST', who: 'Basic YTpi', body: 'piped\r\n' }],
  [['-d', 'a=1'], { method: 'POST', type: 'application/x-www-form-urlencoded', body: 'a=1' }],
])('what stands in for curl takes %j', async (options, heard) => {
  const { code, out } = await run(...options, address);
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining(heard)]);
});

test('a refusal is an error, with what was answered; an option it does not know is one too', async () => {
  expect(await run('-s', `${address}/422`)).toMatchObject({ code: 22, out: expect.stringContaining('GET') });
  expect(await run('--compressed', address)).toMatchObject({ code: 1, out: '' });
});
