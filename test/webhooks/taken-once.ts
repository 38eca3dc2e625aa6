import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import type { WebhookDeliveryDetail } from '@ops/contracts/resources/webhook-delivery';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, type SystemOptions, startSystem } from '@ops/test-system/system';
import { appPayload, appText, asProvider, post, type Webhook } from './as-provider.ts';

export const aWebhookIsTakenOnce = (bus: SystemOptions['bus']) =>
  describe(`a webhook is taken once, ${bus} bus`, () => {
    let system: System;
    const id = 'C-once';
    beforeAll(async () => {
      system = await startSystem({ bus });
      const staff = await system.client('staff');
      await staff.put(`/ops/customers/${id}`, { name: 'Demo Customer', phones: ['+447700900123'] });
    });
    afterAll(() => system?.stop());

    const at = (count: number, webhook: Webhook) =>
      Promise.all(Array.from({ length: count }, () => post(system.gatewayUrl, webhook)));
    const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))];

    const log = async () => {
      const answer = await (await system.client('staff')).get(`/ops/customers/${id}/communications`);
      return answer.body as { data: Communication[]; unread_count: number };
    };
    const timeline = async () => {
      const answer = await (await system.client('staff')).get(`/ops/customers/${id}/timeline`);
      return (answer.body as { data: { type: string }[] }).data.map(({ type }) => type);
    };
    const deliveries = async () => {
      const admin = await system.client('admin');
      const { data } = (await admin.get('/ops/webhook-deliveries')).body as { data: WebhookDeliveryDetail[] };
      return data;
    };
    const settled = async () => {
      const inbox = system.database('comms')('inbox').where({ queue: 'comms-service:provider-message:log' });
      const [taken] = await inbox.count();
      return Number(taken?.count);
    };

    test('fifty at once and again after each process was killed: one record, one event, one unread', async () => {
      const body = canary();
      const webhook = asProvider(system.gatewayUrl).app(appPayload([appText('wamid.once', '447700900123', body)]));
      expect(statuses(await at(50, webhook))).toEqual([200]);
      await eventually(async () => expect(await log()).toMatchObject({ unread_count: 1, data: [{ body }] }));

      for (const name of ['webhook-ingest', 'comms-service']) {
        await system.kill(name);
        await system.restart(name);
      }
      expect(statuses(await at(10, webhook))).toEqual([200]);
      const other = asProvider(system.gatewayUrl).app(` ${webhook.body}`);
      expect(statuses(await at(1, other))).toEqual([200]);

      // What is written last is logged last; and no event of theirs waits to be published.
      const last = asProvider(system.gatewayUrl).app(appPayload([appText('wamid.last', '447700900999', canary())]));
      expect(statuses(await at(1, last))).toEqual([200]);
      await eventually(async () => expect(await settled()).toBe(2));
      expect(await system.database('ingest')('outbox').where({ type: 'provider.message.received' })).toHaveLength(2);
      expect(await log()).toMatchObject({ unread_count: 1, data: [{ body, provider_message_id: 'wamid.once' }] });
      expect((await log()).data).toHaveLength(1);
      expect(await timeline()).toEqual(['COMMUNICATION_RECEIVED']);
      expect((await deliveries()).map(({ outcome, repeats }) => [outcome, repeats])).toEqual([
        ['processed', 0],
        ['duplicate', 0],
        ['processed', 59],
      ]);
    });

    test('DELIVERED and READ of one message are two receipts, both kept, each once', async () => {
      const receipt = (status: string) => ({
        id: 'wamid.ours',
        status,
        timestamp: '1750000000',
        recipient_id: '447700900123',
      });
      const provider = asProvider(system.gatewayUrl);
      for (const status of ['read', 'delivered', 'read'])
        expect(statuses(await at(5, provider.app(appPayload([], [receipt(status)]))))).toEqual([200]);
      await eventually(async () => {
        const kept = await system.database('notifier')('receipts').where({ external_id: 'wamid.ours' });
        expect(kept.map(({ status }) => status).sort()).toEqual(['DELIVERED', 'READ']);
      });
    });
  });
