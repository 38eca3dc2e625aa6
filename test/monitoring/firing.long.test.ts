import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { readMetrics } from '@ops/test-kit/metrics';
import { findPrometheus, type Prometheus } from '@ops/test-kit/prometheus';
import { type RabbitNode, startRabbitNode } from '@ops/test-kit/rabbitmq-node';
import { type System, startSystem } from '@ops/test-system/system';
import { text } from './files.ts';
import { hastened, startHastened } from './hastened.ts';

interface Alert {
  labels: Record<string, string>;
  annotations: { summary: string };
  state: 'pending' | 'firing';
}

const customer = 'C-alerted';
const phone = '+447700900124';

test('of the rules that are made to fire only durations are shortened, all of them', async () => {
  const rules = await text('monitoring/alerts.yaml');
  const durations = /(?<=\[|offset |for: )\d+[smhd]/g;
  const [as, quick] = [rules, hastened(rules)].map((all) => all.match(durations)?.map(inSeconds) ?? []);
  expect(as?.length).toBeGreaterThan(20);
  expect(quick).toEqual(as?.map((seconds) => seconds / 60));
  expect(hastened(rules).replaceAll(durations, '')).toBe(rules.replaceAll(durations, ''));
});

const inSeconds = (duration: string) =>
  Number.parseInt(duration, 10) * { s: 1, m: 60, h: 3600, d: 86_400 }[duration.at(-1) as 's' | 'm' | 'h' | 'd'];

if (await findPrometheus())
  describe('three things go wrong with a running system, and Prometheus says so', () => {
    let broker: RabbitNode;
    let system: System;
    let prometheus: Prometheus;
    let [staff, admin]: ApiClient[] = [];

    beforeAll(async () => {
      broker = await startRabbitNode();
      // A provider that is away is tried every second, so that the rate of it is there within seconds.
      const env = {
        REFRESH_CRON: 'off',
        SENDING_BREAKER_SECONDS: '1',
        SENDING_RETRY_SECONDS: '1',
        SENDING_TRIES: '1000',
      };
      system = await startSystem({ bus: 'rabbitmq', amqpUrl: broker.url, env });
      [staff, admin] = await Promise.all([system.client('staff'), system.client('admin')]);
      await staff.put(`/ops/customers/${customer}`, { name: 'Demo Customer', phones: [phone] });
      prometheus = await startHastened(system);
    });
    afterAll(async () => {
      await prometheus?.stop();
      await system?.stop();
      await broker?.stop();
    });

    const alerts = async () => (await prometheus.get<{ alerts: Alert[] }>('alerts')).alerts;
    const told = async () =>
      (await alerts())
        .filter(({ state }) => state === 'firing')
        .map(({ labels: { alertname, provider, service }, annotations }) => ({
          alert: alertname,
          about: provider ?? service,
          summary: annotations.summary,
        }))
        .sort((one, other) => String(one.alert).localeCompare(String(other.alert)));
    const send = async () => {
      const path = `/ops/customers/${customer}/communications`;
      const message = { type: 'SMS', direction: 'OUTBOUND', body: canary() };
      expect((await staff?.post(path, message))?.status).toBe(201);
    };
    const refresh = async () => expect((await admin?.post('/ops/renewals/refresh'))?.status).toBe(200);
    /** Every rule was looked at since then. */
    const lookedAt = async (since: number) =>
      eventually(async () => {
        type Group = { rules: { lastEvaluation: string; health: string }[] };
        const { groups } = await prometheus.get<{ groups: Group[] }>('rules');
        for (const { lastEvaluation, health } of groups.flatMap(({ rules }) => rules))
          expect({ health, late: Date.parse(lastEvaluation) < since }).toEqual({ health: 'ok', late: false });
      });

    test('while all is well nobody is told of anything', async () => {
      await refresh();
      await send();
      await eventually(async () => expect(await system.simulator.journal()).toHaveLength(1));
      await lookedAt(Date.now() + 2_000);
      expect(await told()).toEqual([]);
    });

    test('a provider that is away, a broker that is away and a night that was missed each fire', async () => {
      await system.kill('provider-sim');
      await send();
      await eventually(async () => {
        const notifier = await readMetrics(system.metricsUrl('notifier'));
        expect(notifier('provider_left_alone', { provider: 'twilio' })).toBe(1);
      });
      await broker.kill();
      await send();
      // What stood for minutes and hours is said to have: nothing else about it is made up.
      await system.database('comms').raw(`UPDATE outbox SET created_at = created_at - interval '10 minutes'
                                          WHERE published_at IS NULL`);
      await system.database('renewals').raw(`UPDATE refresh_runs SET finished_at = finished_at - interval '27 hours'`);
      await eventually(
        async () =>
          expect(await told()).toEqual([
            { alert: 'NightMissed', about: undefined, summary: expect.stringMatching(/^No refresh .* for 1d 3h /) },
            { alert: 'OutboxGrowing', about: 'comms-service', summary: expect.stringContaining('has waited 10m') },
            { alert: 'ProviderOutage', about: 'twilio', summary: 'twilio does not take 100% of what it is given' },
          ]),
        { everyMs: 250 },
      );
    });

    test('each is over when its cause is', async () => {
      await broker.start();
      await system.restart('provider-sim');
      await refresh();
      await eventually(async () => expect(await alerts()).toEqual([]), { everyMs: 250 });
      await eventually(async () => {
        const notifier = await readMetrics(system.metricsUrl('notifier'));
        expect(notifier('provider_left_alone', { provider: 'twilio' })).toBe(0);
      });
    });
  });
else console.log('prometheus (Debian: prometheus) cannot be had here: no alert is made to fire');
