import type { Page } from 'playwright-core';
import { type Desk, shareDesk } from './desk.ts';

interface Person {
  id: string;
  name: string;
  phone: string;
  email: string;
}

/** At the run's system with a customer whom no other suite has. */
export async function shareDeskWith({ id, name, phone, email }: Person): Promise<Desk> {
  const desk = await shareDesk();
  const staff = await desk.system.client('staff');
  await staff.put('/ops/agents/demo-agent', { name: 'Ada Agent' });
  const known = { name, phones: [phone], emails: [email], assigned_agent: 'demo-agent' };
  await staff.put(`/ops/customers/${id}`, known);
  await desk.system.simulator.person({ name, phone, email });
  return desk;
}

/** What was sent and is in no log yet. */
export const unsent = (page: Page) => page.getByRole('list', { name: 'Not in the log yet' });

/** So many inbound messages an hour apart, `Word 1.` the newest; that many of the newest unread. */
export async function longLog(system: Desk['system'], customer: string, count: number, unread: number): Promise<void> {
  await (await system.client('staff')).put(`/ops/customers/${customer}`, { name: `Demo ${customer}`, phones: [] });
  await system.database('comms').raw(
    `INSERT INTO communications (id, customer_id, type, direction, body, unread, status, occurred_at, created_at)
     SELECT gen_random_uuid(), :customer, 'SMS', 'INBOUND', 'Word ' || n || '.', n <= :unread, 'RECEIVED',
            now() - n * interval '1 hour', now() - n * interval '1 hour' FROM generate_series(1, :count) n`,
    { customer, count, unread },
  );
}
