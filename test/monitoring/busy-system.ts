import { randomUUID } from 'node:crypto';
import { addDays } from '@ops/contracts/dates';
import type { ServiceName } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { readMetrics } from '@ops/test-kit/metrics';
import { type System, startSystem } from '@ops/test-system/system';

const customer = 'C-seen';
const phone = '+447700900123';
const email = 'seen@example.com';

/** A system in which each of the things happened that its processes tell of. */
export async function startBusySystem(): Promise<System> {
  const system = await startSystem({ bus: 'postgres' });
  await makeBusy(system).catch(async (error) => {
    await system.stop();
    throw error;
  });
  return system;
}

async function makeBusy(system: System): Promise<void> {
  const [staff, admin] = await Promise.all([system.client('staff'), system.client('admin')]);
  await system.stream('staff');
  await staff.put(`/ops/customers/${customer}`, { name: 'Demo Customer', phones: [phone], emails: [email] });
  await system.simulator.person({ name: 'Demo Customer', phone, email });
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  for (const type of ['SMS', 'EMAIL']) {
    const message = { type, direction: 'OUTBOUND', body: canary() };
    await staff.post(`/ops/customers/${customer}/communications`, message);
  }
  const due_date = addDays(new Date().toISOString().slice(0, 10), 5);
  await staff.post(`/ops/customers/${customer}/renewals`, { service_type: 'RESIDENCE_PERMIT', due_date });
  await admin.post('/ops/renewals/refresh');
  await giveUp(system);
  await seen(system, 'notifier', 'provider_send_duration_seconds_count', { provider: 'twilio' });
  await seen(system, 'notifier', 'provider_send_duration_seconds_count', { provider: 'smtp' });
  await seen(system, 'notifier', 'tasks_open', { priority: 'URGENT' });
  await seen(system, 'comms-service', 'bus_messages_total', { queue: 'comms-service:renewal:timeline' });
}

/** A message that came to nothing. */
const giveUp = (system: System) =>
  system.database('notifier')('dead_letters').insert({
    id: randomUUID(),
    queue: 'notifier:renewal:task',
    event_id: randomUUID(),
    event_type: 'RENEWAL_TRIGGERED',
    subject: 'renewal',
    body: '{}',
    attempts: 1,
    error: 'given up by a test',
  });

async function seen(system: System, name: ServiceName, metric: string, labels: Record<string, string>): Promise<void> {
  await eventually(async () => {
    const read = await readMetrics(system.metricsUrl(name));
    if (!read(metric, labels)) throw new Error(`${name} does not tell of ${metric} yet`);
  });
}
