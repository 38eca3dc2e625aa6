import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { LiveEvents } from '@ops/test-kit/live-events';
import { canary } from '@ops/test-kit/logs';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import { type Span, startTraceCollector, type TraceCollector } from '@ops/test-kit/trace-collector';
import { type System, startSystem } from '@ops/test-system/system';
import { draw, stepsOf } from './draw.ts';

/** Nobody's quiet hours hold at noon. */
const office = zoneWhereItIs(12);
const people = [1, 2, 3, 4, 5].map((n) => ({
  id: `C-traces-${n}`,
  phone: `+44770090044${n}`,
  email: `traces-${n}@example.com`,
}));
const [somebody, ...others] = people as [Person, ...Person[]];
type Person = (typeof people)[number];

const isAlert = ({ name }: Span) => name === 'alert 30';
/** All that an alert goes through; what providers say of it later comes in by webhook-ingest. */
const processes = ['comms-service', 'gateway', 'notifier', 'renewals-service'];

describe.each(['postgres', 'rabbitmq'] as const)('what happened is told as traces, %s bus', (bus) => {
  let collector: TraceCollector;
  let system: System;
  let staff: Awaited<ReturnType<System['client']>>;
  let screen: LiveEvents;

  beforeAll(async () => {
    collector = await startTraceCollector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OPS_TIME_ZONE: office, REFRESH_CRON: 'off' };
    system = await startSystem({ bus, env });
    staff = await system.client('staff');
    for (const { id, phone, email } of people) {
      await system.simulator.person({ name: 'Demo Customer', phone, email });
      const known = { name: canary(), phones: [phone], emails: [email], time_zone: office };
      await staff.put(`/ops/customers/${id}`, known);
    }
    screen = await system.stream('staff');
  });
  afterAll(async () => {
    screen?.close();
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
    await system.simulator.write(somebody.phone, { channel: 'MESSAGING_APP', text: canary() });
    const spans = await traceWith(({ name }) => name === 'POST /webhooks/messaging-app', 'A message comes in');
    const shown = spans.filter(({ name }) => name === 'show communication.changed');
    expect(shown).toMatchObject([{ service: 'gateway', attributes: { screens: 1 } }]);
    expect(spans.filter(({ failed }) => failed)).toEqual([]);
  });

  async function night(whose: typeof people): Promise<void> {
    const permit = { service_type: 'RESIDENCE_PERMIT', due_date: dateIn(office, 30) };
    for (const { id } of whose) await staff.post(`/ops/customers/${id}/renewals`, permit);
    await (await system.client('scheduler')).post('/ops/renewals/refresh');
  }

  test('an alert, from the refresh to the customer’s phone', async () => {
    await night([somebody]);
    const refresh = await traceWith(({ name }) => name === 'POST /ops/renewals/refresh', 'A refresh');
    const alert = await traceWith(isAlert, 'An alert');
    expect(alert.find(isAlert)?.links).toEqual([refresh[0]?.traceId]);
    expect([...new Set([...refresh, ...alert].map(({ service }) => service))].sort()).toEqual(processes);
    expect((await system.simulator.messages(somebody.phone)).filter(({ from_firm }) => from_firm)).toHaveLength(2);
  });

  test('alerts of one night that are handled together are told apart, each to its own sends', async () => {
    await night(others);
    await eventually(() => {
      const alerts = collector.spans().filter(isAlert);
      expect(alerts).toHaveLength(people.length);
      for (const { traceId } of alerts) {
        const spans = collector.spans().filter((span) => span.traceId === traceId);
        const sends = spans.filter(({ name }) => name.startsWith('send ')).map(({ name }) => name);
        expect(sends.sort()).toEqual(['send cloud-api', 'send smtp']);
      }
    });
  });

  test('no span holds a word of what customers write, or who they are', async () => {
    expect(collector.spans().length).toBeGreaterThan(50);
    for (const words of ['canary', '4477009004', 'example.com'])
      expect([words, collector.sent().includes(words)]).toEqual([words, false]);
  });
});

/** The fenced drawing that stands under this heading. */
async function drawing(title: string): Promise<string[]> {
  const text = await readFile(new URL('../../docs/tracing.md', import.meta.url), 'utf8');
  const [, section = ''] = text.split(`## ${title}\n`);
  const [, fenced = ''] = section.split(/^```\w*$/m);
  const lines = fenced.split('\n').filter((line) => line.trim() !== '');
  expect(lines).not.toEqual([]);
  return lines;
}
