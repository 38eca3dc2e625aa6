import { expect } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Desk } from './desk.ts';

/** What each of those who wrote needs somebody to do. */
export type Need = 'answer' | 'look' | 'send a file' | 'put off' | 'be done' | 'give' | 'change the number' | 'merge';

type Channel = 'MESSAGING_APP' | 'SMS' | 'EMAIL';

export interface Writer {
  id: string;
  name: string;
  phone: string;
  email: string;
  channel: Channel;
  need: Need;
  /** What they wrote. */
  said: string;
}

const all: [name: string, channel: Channel, need: Need][] = [
  ['Nina', 'MESSAGING_APP', 'answer'],
  ['Omar', 'SMS', 'answer'],
  ['Petra', 'EMAIL', 'answer'],
  ['Quentin', 'MESSAGING_APP', 'look'],
  ['Rosa', 'EMAIL', 'send a file'],
  ['Sami', 'SMS', 'put off'],
  ['Tara', 'EMAIL', 'put off'],
  ['Ugo', 'MESSAGING_APP', 'be done'],
  ['Vera', 'SMS', 'give'],
  ['Walid', 'EMAIL', 'change the number'],
  ['Xenia', 'MESSAGING_APP', 'merge'],
  ['Xenia-Yves', 'SMS', 'merge'],
];

export const writers: readonly Writer[] = all.map(([name, channel, need], n) => ({
  id: `C-morning-${n + 10}`,
  name: `Demo ${name}`,
  phone: `+4477009006${n + 10}`,
  // Somebody who was entered twice, under one address.
  email: `${name.toLowerCase().replace(/-.*/, '')}@example.com`,
  channel,
  need,
  said: canary(),
}));

export const whoNeeds = (need: Need): Writer => writers.find((one) => one.need === need) as Writer;

/** A square that is green all over. */
const photo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const failedWords = canary();

/** All of them wrote by the time somebody comes, and a message to the one whose number has changed did not arrive. */
export async function beforeTheMorning({ system }: Desk): Promise<void> {
  const { simulator } = system;
  const staff = await system.client('staff', 'demo-staff');
  await staff.put('/ops/agents/demo-staff', { name: 'Demo Staff' });
  await staff.put('/ops/agents/demo-agent', { name: 'Ada Agent' });
  for (const { id, name, phone, email, need } of writers) {
    await staff.put(`/ops/customers/${id}`, { name, phones: [phone], emails: [email], assigned_agent: 'demo-staff' });
    await simulator.person({ name, phone, ...(need !== 'merge' && { email }) });
  }
  await failToReach(system, whoNeeds('change the number'));
  const file = await simulator.file('passport.png', 'image/png', photo);
  await Promise.all(
    writers.map(({ phone, channel, need, said }) =>
      simulator.write(phone, {
        channel,
        text: said,
        ...(channel === 'EMAIL' && { subject: 'A question' }),
        ...(need === 'look' && { files: [file] }),
      }),
    ),
  );
  await eventually(async () => expect(await whoWaits(system)).toHaveLength(writers.length));
}

async function failToReach({ simulator, client }: Desk['system'], { id, phone }: Writer): Promise<void> {
  const staff = await client('staff', 'demo-staff');
  await simulator.faults({ undeliverable: { [phone]: 30003 } });
  await staff.post(`/ops/customers/${id}/communications`, { type: 'SMS', direction: 'OUTBOUND', body: failedWords });
  await eventually(async () => expect(await failed({ client })).toHaveLength(1));
  await simulator.faults();
}

type Clients = Pick<Desk['system'], 'client'>;

const dataAt = async ({ client }: Clients, path: string) =>
  ((await (await client('staff', 'demo-staff')).get(path)).body as { data: Record<string, unknown>[] }).data;

export const failed = (system: Clients) => dataAt(system, '/ops/communications/failed');
export const logOf = (system: Clients, { id }: Writer) => dataAt(system, `/ops/customers/${id}/communications`);
export const historyOf = (system: Clients, { id }: Writer) => dataAt(system, `/ops/customers/${id}/history`);

/** By their ids. */
export const whoWaits = async (system: Clients, state: 'waiting' | 'snoozed' = 'waiting') =>
  (await dataAt(system, `/ops/attention?state=${state}`)).map(({ customer_id }) => customer_id);
