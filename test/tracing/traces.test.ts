import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-kit/system';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import { type Span, startTraceCollector, type TraceCollector } from '@ops/test-kit/trace-collector';
import { draw, stepsOf } from './draw.ts';

/** Nobody's quiet hours hold at noon. */
const office = zoneWhereItIs(12);
const phone = '+447700900444';
const processes = ['comms-service', 'gateway', 'notifier', 'renewals-service', 'webhook-ingest'];

describe.each(['postgres', 'rabbitmq'] as const)('what happened is told as traces, %s bus', (bus) => {
  let collector: TraceCollector;
  let system: System;
  let staff: Awaited<ReturnType<System['client']>>;

  beforeAll(async () => {
    collector = await startTraceCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OPS_TIME_ZONE: office, REFRESH_CRON: 'off' };
    system = await startSystem({ bus, env });
    staff = await system.client('staff');
    const email = 'traces@example.com';
    const customer = { name: canary(), phones: [phone], emails: [email], time_zone: office };
    await system.simulator.person({ name: 'Demo Customer', phone, email });
    await staff.put('/ops/customers/C-traces', customer);
  }, 120_000);
  afterAll(async () => {
    await system?.stop();
    await collector?.close();
  });

  /** The spans of the one trace that has this part, once all the steps that the document shows are there. */
  const traceWith = (isPart: (span: Span) => boolean, title: string) =>
    eventually(async () => {
      const traces = new Set(
        collector
          .spans()
          .filter(isPart)
          .map(({ traceId }) => traceId),
      );
      expect(traces.size).toBe(1);
      const spans = collector.spans().filter(({ traceId }) => traces.has(traceId));
      const steps = stepsOf(draw(spans));
      expect(steps).toEqual(expect.arrayContaining(stepsOf(await drawing(title))));
      expect(spans.filter(({ parentId }) => parentId && !spans.some(({ id }) => id === parentId))).toEqual([]);
      if (process.env.DRAW_TRACES) console.log(`${title}\n${draw(spans).join('\n')}`);
      return spans;
    });

  test('a customer’s message, from the provider’s webhook to a live screen', async () => {
    const screen = await system.stream('staff');
    const text = canary();
    await system.simulator.write(phone, { channel: 'MESSAGING_APP', text });
    const spans = await traceWith(({ name }) => name === 'POST /webhooks/messaging-app', 'A message comes in');
    screen.close();
    const shown = spans.filter(({ name }) => name === 'show communication.changed');
    expect(shown).toMatchObject([{ service: 'gateway', attributes: { screens: 1 } }]);
    expect(spans.filter(({ failed }) => failed)).toEqual([]);
  });

  test('an alert, from the refresh to the customer’s phone', async () => {
    const renewal = { service_type: 'RESIDENCE_PERMIT', due_date: dateIn(office, 30) };
    await staff.post('/ops/customers/C-traces/renewals', renewal);
    await (await system.client('scheduler')).post('/ops/renewals/refresh');
    const refresh = await traceWith(({ name }) => name === 'POST /ops/renewals/refresh', 'A refresh');
    const alert = await traceWith(({ name }) => name === 'alert 30', 'An alert');
    expect(alert.find(({ name }) => name === 'alert 30')?.links).toEqual([refresh[0]?.traceId]);
    expect(alert.map(({ name }) => name)).toEqual(expect.arrayContaining(['send cloud-api', 'send smtp']));
    expect((await system.simulator.messages(phone)).filter(({ from_firm }) => from_firm)).toHaveLength(2);
    const all = [...refresh, ...alert].map(({ service }) => service);
    expect([...new Set(all)].sort()).toEqual(processes.filter((name) => name !== 'webhook-ingest'));
  });

  test('no span holds a word of what customers write, or who they are', async () => {
    expect(collector.spans().length).toBeGreaterThan(50);
    const told = JSON.stringify(collector.spans());
    expect(told).not.toContain('canary');
    expect(told).not.toContain(phone.slice(1));
  });
});

/** The fenced drawing that stands under this heading. */
async function drawing(title: string): Promise<string[]> {
  const text = await readFile(new URL('../../docs/tracing.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split(`## ${title}\n`);
  const [, fenced = ''] = section.split(/^```\w*$/m);
  return fenced.split('\n').filter((line) => line.trim() !== '');
}
