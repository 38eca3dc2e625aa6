import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { trace as opentelemetry } from '@opentelemetry/api';
import { inSpan, inTrace, ownTrace } from '@ops/bus/spans';
import { currentTrace, newTrace } from '@ops/bus/trace';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { startTraceCollector, type TraceCollector } from '@ops/test-kit/trace-collector';
import { z } from 'zod';
import { logLines, startTestApp, type TestApp, testRoute } from '../../test/app.ts';
import { loadConfig } from '../process/config.ts';
import { startTracing, type Tracing, tracingSettings } from './tracing.ts';

const anything = { params: z.object({}), query: z.object({}) };
const greet = testRoute({ method: 'POST', path: '/ops/greetings', ...anything, body: z.object({ words: z.string() }) });
const fail = testRoute({ method: 'GET', path: '/ops/failures', ...anything });

let app: TestApp;
let collector: TraceCollector;
let tracing: Tracing | undefined;

beforeAll(async () => {
  collector = await startTraceCollector();
  app = await startTestApp((http) => {
    http.write(greet, async ({ trx, body }) => {
      await trx.raw('SELECT ?::text AS words', [body.words]);
      return { body: {} };
    });
    http.read(fail, async ({ db }) => {
      await inSpan('part', {}, () => Promise.reject(new RangeError(canary()))).catch(() => undefined);
      await db.raw('SELECT ?::text::integer', ['no number']);
      return { body: {} };
    });
  });
});
afterAll(async () => {
  await app?.close();
  await collector?.close();
});
afterEach(async () => {
  await tracing?.stop();
  tracing = undefined;
  opentelemetry.disable();
  collector.answer(200);
  collector.spans().length = 0;
});

/** Told to this collector; what it logs is answered. */
async function traced(env: Record<string, string> = {}, endpoint = collector.url) {
  const { logger, lines } = logLines();
  const given = loadConfig(tracingSettings, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...env });
  tracing = await startTracing('test', given, logger);
  return lines;
}

const told = (name: string) =>
  eventually(() => {
    const found = collector.spans().filter((span) => span.name === name);
    expect(found).toHaveLength(1);
    return found[0] as (typeof found)[number];
  });

test('a request is told of with its statements, without a word of what stood in it', async () => {
  await traced();
  const words = canary();
  const caller = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await app.call('POST', '/ops/greetings', { body: { words }, headers: { traceparent: caller } });
  const request = await told('POST /ops/greetings');
  expect(request).toMatchObject({
    traceId: '0af7651916cd43dd8448eb211c80319c',
    parentId: 'b7ad6b7169203331',
    service: 'test',
    failed: false,
    attributes: { 'http.request.method': 'POST', 'http.route': '/ops/greetings', 'http.response.status_code': 200 },
  });
  const statement = await told('select');
  expect(statement.parentId).toBe(request.id);
  expect(statement.attributes['db.query.text']).toBe('SELECT $1::text AS words');
  await told('commit');
  expect(collector.sent()).not.toContain(words);
});

test('a request that fails is told of as failed, by the name of its error alone', async () => {
  await traced();
  await app.call('GET', '/ops/failures');
  const failed = { failed: true, attributes: { 'error.type': '500', 'http.response.status_code': 500 } };
  expect(await told('GET /ops/failures')).toMatchObject(failed);
  expect(await told('part')).toMatchObject({ failed: true, attributes: { 'error.type': 'RangeError' } });
  expect(await told('select')).toMatchObject({ failed: true, attributes: { 'error.type': 'error 22P02' } });
  await app.call('GET', '/ops/unknown');
  expect(await told('GET')).toMatchObject({ failed: false });
  for (const words of ['canary', 'no number']) expect(collector.sent()).not.toContain(words);
});

test('nothing is told of a probe, nor of a statement outside of any trace', async () => {
  await traced();
  await app.db.raw('SELECT 1');
  await app.call('GET', '/healthz');
  await app.call('GET', '/readyz');
  await app.call('POST', '/ops/greetings', { body: { words: 'the last one' } });
  await told('POST /ops/greetings');
  expect(new Set(collector.spans().map(({ traceId }) => traceId)).size).toBe(1);
});

test('parts of a work are told of as its parts, and what it begins as a trace of its own that is linked to it', async () => {
  await traced();
  const own = await inTrace('night', async () => {
    await expect(inSpan('part', {}, () => Promise.reject(new RangeError('no')))).rejects.toThrow('no');
    const begun = ownTrace('alert', { rung: '30_DAY' });
    ownTrace('an alert that was rolled back', {});
    begun?.span.end();
    return begun?.trace;
  });
  const [night, part, alert] = [await told('night'), await told('part'), await told('alert')];
  expect(night.parentId).toBeUndefined();
  expect(part).toMatchObject({ parentId: night.id, traceId: night.traceId, failed: true });
  expect(alert).toMatchObject({ parentId: undefined, links: [night.traceId], attributes: { rung: '30_DAY' } });
  expect(own?.traceparent).toBe(`00-${alert.traceId}-${alert.id}-01`);
  expect(alert.traceId).not.toBe(night.traceId);
  expect(collector.spans()).toHaveLength(3);
});

test('of the traces that begin here the share that is asked for is told of; others go on as their callers want', async () => {
  await traced({ OTEL_TRACES_SAMPLER_ARG: '0' });
  const seen = await inTrace('night', async () => currentTrace.getStore()?.traceparent);
  expect(seen).toMatch(/-00$/);
  const caller = newTrace().traceparent;
  await app.call('POST', '/ops/greetings', { body: { words: '' }, headers: { traceparent: caller } });
  await told('POST /ops/greetings');
  expect(collector.spans().some(({ name }) => name === 'night')).toBe(false);
});

test('a collector that does not answer holds nothing up, and is complained of once', async () => {
  const lines = await traced();
  collector.answer(400);
  const logged = (words: string) => lines.filter((line) => line.includes(words));
  for (const words of ['one', 'two']) {
    expect((await app.call('POST', '/ops/greetings', { body: { words } })).status).toBe(200);
    await eventually(() => expect(collector.refused()).toBeGreaterThan(words === 'one' ? 0 : 1));
  }
  collector.answer(200);
  await app.call('POST', '/ops/greetings', { body: { words: 'three' } });
  await eventually(() => expect(logged('traces are taken again')).toHaveLength(1));
  expect(logged('traces are not taken')).toHaveLength(1);
});

test('the outermost process judges by itself which traces are told of', async () => {
  const { logger } = logLines();
  const none = loadConfig(tracingSettings, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  tracing = await startTracing('test', none, logger, { outermost: true });
  await app.call('POST', '/ops/greetings', { body: { words: '' }, headers: { traceparent: newTrace().traceparent } });
  await tracing.stop();
  opentelemetry.disable();
  const all = loadConfig(tracingSettings, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  tracing = await startTracing('test', all, logger, { outermost: true });
  const traceparent = newTrace().traceparent.replace(/01$/, '00');
  await app.call('POST', '/ops/greetings', { body: { words: '' }, headers: { traceparent } });
  await told('POST /ops/greetings');
});

test('a collector that never answers does not keep a process from ending', async () => {
  const held = createServer(() => undefined);
  await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve));
  await traced({}, `http://127.0.0.1:${(held.address() as AddressInfo).port}`);
  const asked = once(held, 'request');
  await inTrace('work', async () => undefined);
  await asked;
  await inTrace('more work', async () => undefined);
  await tracing?.stop();
  held.closeAllConnections();
  held.close();
});

test('what was not told yet is told at the end', async () => {
  await traced();
  await inTrace('the last work', async () => undefined);
  await tracing?.stop();
  expect(collector.spans().map(({ name }) => name)).toEqual(['the last work']);
});

test('headers that a collector asks for go along', async () => {
  await traced({ OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20ours,x-team=ops' });
  await inTrace('work', async () => undefined);
  await told('work');
  expect(collector.headers()).toMatchObject({ 'x-key': 'of ours', 'x-team': 'ops' });
});

test('without an address nothing is told, and a trace goes through unchanged', async () => {
  const { logger } = logLines();
  tracing = await startTracing('test', loadConfig(tracingSettings, {}), logger);
  const trace = newTrace();
  const inner = await currentTrace.run(trace, () => inSpan('part', {}, async () => currentTrace.getStore()));
  expect(inner).toEqual(trace);
  expect(currentTrace.run(trace, () => ownTrace('alert', {})?.trace)).toEqual(trace);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a key'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x-key=100%'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('a wrong %s is refused by its name', (name, value) => {
  expect(() => loadConfig(tracingSettings, { [name]: value })).toThrow(name);
});
