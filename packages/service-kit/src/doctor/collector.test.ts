import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { collectorChecks } from './collector.ts';
import { examine } from './examine.ts';

let server: Server;
let endpoint: string;
const told: string[] = [];
beforeAll(async () => {
  server = createServer(async (req, res) => {
    told.push(`${req.url} ${await text(req)}`);
    res.writeHead(req.headers['x-api-key'] === 'of the collector' ? 200 : 401).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

const look = (OTEL_EXPORTER_OTLP_ENDPOINT?: string, OTEL_EXPORTER_OTLP_HEADERS?: string) =>
  examine(
    collectorChecks({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER_ARG: 1 }, 5000),
    5000,
  );

test('a collector is told of no spans, with its key', async () => {
  expect(await look(endpoint, 'x-api-key=of%20the%20collector')).toMatchObject([{ name: 'traces', status: 'ok' }]);
  expect(told).toEqual(['/v1/traces {"resourceSpans":[]}']);
});

test('one that refuses, is not there or was not named stops nothing', async () => {
  expect(await look(endpoint)).toMatchObject([
    { status: 'warning', fix: 'OTEL_EXPORTER_OTLP_HEADERS must hold its key' },
  ]);
  expect(await look('http://collector.invalid:4318')).toMatchObject([
    { status: 'warning', said: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) },
  ]);
  expect(await look(undefined)).toEqual([]);
});
