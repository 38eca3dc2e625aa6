import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { Communication } from '@ops/contracts/resources/communication';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, sharedSystem } from '@ops/test-system/system';

interface Log {
  data: Communication[];
  unread_count: number;
}

describe.each(['postgres', 'rabbitmq'] as const)('a communication travels all the way, %s bus', (bus) => {
  let system: System;
  const id = 'C-travel';
  const said = canary();
  const noted = canary();

  beforeAll(async () => {
    system = await sharedSystem(bus);
    const staff = await system.client('staff');
    await staff.put(`/ops/customers/${id}`, { name: 'Demo Customer', phones: ['+41 44 668 18 00'] });
  });
  afterAll(() => system?.stop());

  const log = async (role: 'staff' | 'customer', query = '') =>
    (await (await system.client(role, id)).get(`/ops/customers/${id}/communications${query}`)).body as Log;

  test('what comes in is unread, on the timeline, and on a live screen at once', async () => {
    const live = await system.stream('staff');
    const staff = await system.client('staff');
    const path = `/ops/customers/${id}/communications`;
    const made = await staff.post(path, { type: 'MESSAGING_APP', direction: 'INBOUND', body: said });
    expect(made.status).toBe(201);
    const { id: recordId } = made.body as Communication;

    await eventually(() => expect(live.events.map((e) => e.type)).toContain('COMMUNICATION_RECEIVED'));
    expect(JSON.stringify(live.events)).not.toContain(said);
    live.close();

    expect(await log('staff')).toMatchObject({
      unread_count: 1,
      data: [{ id: recordId, unread: true, status: 'RECEIVED' }],
    });
    const timeline = (await staff.get(`/ops/customers/${id}/timeline`)).body as { data: { type: string }[] };
    expect(timeline.data.map((e) => e.type)).toEqual(['COMMUNICATION_RECEIVED']);
  });

  test('marking as read clears the count', async () => {
    const staff = await system.client('staff');
    const answer = await staff.patch(`/ops/customers/${id}/communications/read`);
    expect(answer.body).toEqual({ customer_id: id, marked_read: 1, unread_count: 0 });
  });

  test('a note stays with staff; an outbound message waits for delivery', async () => {
    const staff = await system.client('staff');
    await staff.post(`/ops/customers/${id}/notes`, { body: noted });
    const sent = await staff.post(`/ops/customers/${id}/communications`, {
      type: 'SMS',
      direction: 'OUTBOUND',
      body: canary(),
    });
    expect(sent.body).toMatchObject({ status: 'QUEUED', direction: 'OUTBOUND' });
    expect((await log('staff')).data).toHaveLength(3);
    expect((await log('customer')).data).toHaveLength(2);
    for (const query of ['?filter=notes', '?type=INTERNAL_NOTE'])
      expect((await log('customer', query)).data).toEqual([]);
    expect(await log('customer', `?q=${noted}`)).toMatchObject({ status: 403 });
  });

  test('its events carry the request and the trace the caller gave', async () => {
    const staff = await system.client('staff');
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'x-request-id': `travel-${bus}`, traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const message = { type: 'SMS', direction: 'OUTBOUND', body: canary() };
    const made = await staff.post(`/ops/customers/${id}/communications`, message, { headers });
    expect(made.headers.get('x-request-id')).toBe(`travel-${bus}`);
    const { id: recordId } = made.body as Communication;
    const waiting: { event: Envelope }[] = await system.database('comms')('outbox').select('event').orderBy('id');
    const events = waiting.map(({ event }) => event).filter(({ data }) => data.communication_id === recordId);
    // What became of the send may be told by now, by its provider in a request of its own.
    const [queued, changed] = events;
    expect([queued, changed]).toMatchObject(
      ['communication.queued', 'communication.changed'].map((type) => ({
        type,
        requestid: `travel-${bus}`,
        traceparent: expect.stringContaining(trace),
      })),
    );
  });
});
