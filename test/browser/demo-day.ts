import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addDays } from '@ops/contracts/dates';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { demoCustomers, demoPeople } from '@ops/demo/demo-data';
import { demoLetter, demoPhoto } from '@ops/demo/demo-files';
import { seedDemo } from '@ops/demo/seed';
import { eventually } from '@ops/test-kit/eventually';
import { zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { asProvider, post } from '../webhooks/as-provider.ts';
import { alertedDaysAgo } from './renewal-steps.ts';

/** The demo customers on a busy day: on every page there is something of everything it can show. */
export async function makeDemoDay(system: System): Promise<void> {
  await Promise.all(demoPeople.map(moveIn(system)));
  await seed(system);
  await nothingMoves(system);
  const staff = await system.client('staff', 'demo-staff');
  await talk(system, staff);
  await staff.post('/ops/tasks', {
    customer_id: 'C-1002',
    title: 'Ask the employer for the contract',
    notes: 'They answer in the morning.',
    priority: 'URGENT',
    assigned_agent: 'demo-admin',
  });
  await hearOfSomebodyUnknown(system);
  await watchFarAhead(staff);
  await keepOneBackAndFailAnother(system, staff);
  await reachOut(system, staff);
  await partFrom(staff);
  await enterTwice(system, staff);
  await giveUpOnSomething(system);
}

/** Dates that stand on no page but those they are for. */
export const farAway = '2199-05-01';

/** A policy of somebody whom nobody described. */
async function hearOfSomebodyUnknown(system: System): Promise<void> {
  const automation = await system.client('automation');
  await automation.post('/ops/events', {
    specversion: '1.0',
    id: randomUUID(),
    source: '/policies',
    type: 'policy.issued',
    time: new Date().toISOString(),
    data: { customer_id: 'C-1999', policy_id: 'P-1999', end_date: farAway },
  });
}

/** A date that is watched, and something to do about it. */
async function watchFarAhead(staff: ApiClient): Promise<void> {
  const permit = { service_type: 'WORK_PERMIT', due_date: farAway };
  const { body } = await staff.post(`/ops/customers/${idOf(2)}/renewals`, permit);
  const { id: renewal_id } = body as { id: string };
  await staff.post('/ops/tasks', { customer_id: idOf(2), renewal_id, title: 'Copy the new permit' });
}

/** An alert whose message is kept back, and one that reached nobody and was overtaken since. */
async function keepOneBackAndFailAnother({ simulator }: System, staff: ApiClient): Promise<void> {
  const [phone, time_zone] = ['+447700900552', zoneWhereItIs(12)];
  await staff.put('/ops/customers/C-1998', { name: 'Demo Held', emails: ['held@example.com'], time_zone });
  await staff.put('/ops/customers/C-1997', { name: 'Demo Overtaken', phones: [phone], time_zone });
  const watch = async (customer: string) => {
    const permit = { service_type: 'RESIDENCE_PERMIT', due_date: inDays(30) };
    return ((await staff.post(`/ops/customers/${customer}/renewals`, permit)).body as { id: string }).id;
  };
  const [held, failing] = [await watch('C-1998'), await watch('C-1997')];
  const words = { until: inDays(17), note: 'The employer sends the contract on Monday.' };
  await staff.patch(`/ops/renewals/${held}/acknowledge`, words);
  await simulator.faults({ refused: { [phone]: 131026 } });
  await staff.post('/ops/renewals/refresh');
  await somethingAt(staff, `/ops/tasks?renewal_id=${failing}`);
  await simulator.faults();
  await staff.patch(`/ops/renewals/${failing}`, { due_date: inDays(14) });
  await staff.post('/ops/renewals/refresh');
}

/** Somebody who is a customer no more. */
async function partFrom(staff: ApiClient): Promise<void> {
  await staff.put('/ops/customers/C-1992', { name: 'Demo Former', phones: ['+447700900556'] });
  await staff.patch('/ops/customers/C-1992', { archived: true });
}

/** Somebody who says nothing: one step was passed over, one was done, and one is to come. */
async function reachOut(system: System, staff: ApiClient): Promise<void> {
  const [id, phone, email] = ['C-1996', '+447700900553', 'silent@example.com'];
  await system.simulator.person({ name: 'Demo Silent', phone, email });
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Silent', phones: [phone], emails: [email], locale: 'en' });
  const permit = { service_type: 'WORK_PERMIT', due_date: inDays(60), assigned_agent: 'demo-staff' };
  const { body } = await staff.post(`/ops/customers/${id}/renewals`, permit);
  const { id: renewal } = body as { id: string };
  await staff.post('/ops/renewals/refresh');
  await nothingMoves(system);
  await alertedDaysAgo(system, renewal, 14);
  await staff.post('/ops/renewals/refresh');
  await nothingMoves(system);
}

/** Who shares a number with somebody, was merged with somebody else, and is watched twice since; a message of either of two. */
async function enterTwice(system: System, staff: ApiClient): Promise<void> {
  const [id, other, merged, phone] = ['C-1995', 'C-1994', 'C-1993', '+447700900554'];
  const known = { phones: [phone, '+447700900555'], emails: ['twice@example.com'], assigned_agent: 'demo-staff' };
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Twice', ...known });
  await staff.put(`/ops/customers/${merged}`, { name: 'Demo Thrice' });
  for (const [customer, policy_id] of [
    [id, 'DEMO-POLICY-3'],
    [merged, null],
  ])
    await staff.post(`/ops/customers/${customer}/renewals`, {
      service_type: 'INSURANCE_POLICY',
      due_date: farAway,
      policy_id,
    });
  await staff.post(`/ops/customers/${merged}/merge`, { into: id });
  const differs = { locale: 'de-CH', time_zone: 'Europe/Zurich', preferred_channel: 'EMAIL', do_not_contact: true };
  await staff.put(`/ops/customers/${other}`, { name: 'Demo Twice-Example', phones: [phone], ...differs });
  await system.simulator.person({ name: 'Demo Twice', phone });
  await system.simulator.write(phone, { channel: 'SMS', text: 'Who of us is meant?' });
  await nothingMoves(system);
}

const inDays = (days: number) => addDays(new Date().toISOString().slice(0, 10), days);

const moveIn =
  ({ simulator }: System) =>
  ({ name, phones: [phone], emails: [email] }: (typeof demoPeople)[number]) =>
    simulator.person({ name, ...(phone && { phone: bare(phone) }), ...(email && { email }) });

const bare = (phone: string) => phone.replaceAll(' ', '');

async function seed({ gatewayUrl, token }: System): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'ops-demo-day-'));
  await seedDemo({ gatewayUrl, dataDir: home, getToken: () => token('admin', 'demo-admin') });
  await rm(home, { recursive: true, force: true });
}

/** What the refresh sends, and what customers write, stands in the threads before anybody goes on. */
const nothingMoves = ({ simulator, eventsWaiting }: System) =>
  eventually(async () => {
    const webhooks = await simulator.webhooksWaiting();
    const events = await eventsWaiting();
    if (webhooks > 0 || Object.keys(events).length > 0)
      throw new Error(`still on their way: ${webhooks} webhooks and ${JSON.stringify(events)}`);
  });

const idOf = (n: number) => demoCustomers[n]?.id;
const phoneOf = (n: number) => bare(demoPeople[n]?.phones[0] ?? '');

/** Answers, one of which fails; a mail with another quoted in it; a file; a stranger; somebody who wants no more. */
async function talk(system: System, staff: ApiClient): Promise<void> {
  const { simulator } = system;
  const say = (n: number, words: object) =>
    staff.post(`/ops/customers/${idOf(n)}/communications`, { direction: 'OUTBOUND', ...words });
  await say(0, { type: 'MESSAGING_APP', body: 'In twelve days. Please send a photo and a copy of the passport.' });
  await say(1, { type: 'EMAIL', subject: 'Work permit', body: 'The copy is on its way to you.' });
  const [asked] = await Promise.all([
    arrived(simulator, phoneOf(0), 'a photo'),
    arrived(simulator, phoneOf(1), 'on its way'),
  ]);
  await simulator.look(phoneOf(0), 'MESSAGING_APP');
  await simulator.react(asked.id, '❤');
  const photo = await simulator.file('passport.png', 'image/png', demoPhoto());
  await simulator.write(phoneOf(0), { channel: 'MESSAGING_APP', text: 'My photo.', files: [photo] });
  const file = await simulator.file('passport.pdf', 'application/pdf', demoLetter());
  await simulator.write(phoneOf(0), { channel: 'MESSAGING_APP', text: 'Here is the passport.', files: [file] });
  await passOn(system);
  const quoted = 'Thank you.\n\n> The copy is on its way to you.';
  await simulator.write(phoneOf(1), { channel: 'EMAIL', subject: 'Re: Work permit', text: quoted });
  const { id } = await simulator.person({ name: 'Sam Stranger', phone: '+447700900551' });
  await simulator.write(id, { channel: 'MESSAGING_APP', text: 'Is my insurance still good?' });
  await simulator.faults({ undeliverable: { [phoneOf(2)]: 30003 } });
  await say(2, { type: 'SMS', body: 'Your policy ends in five days. Shall we renew it?' });
  await Promise.all(['/ops/communications/failed', '/ops/unmatched'].map((path) => somethingAt(staff, path)));
  await simulator.faults();
  await simulator.write(phoneOf(2), { channel: 'SMS', text: 'STOP' });
  await nothingMoves(system);
}

/** Somebody's card, and a place. */
async function passOn({ gatewayUrl }: System): Promise<void> {
  const metadata = { display_phone_number: '447700900000', phone_number_id: 'PHONE-1' };
  const contact = {
    name: { formatted_name: 'Erna Employer' },
    org: { company: 'Demo Employer Ltd', title: 'Personnel' },
    phones: [{ phone: '+44 7700 900560' }],
    emails: [{ email: 'erna@example.com' }],
    urls: [{ url: 'https://employer.example.com' }],
  };
  const location = { name: 'Demo Employer', address: '1 High Street, London', latitude: 51.5074, longitude: -0.1278 };
  const from = phoneOf(1).replace('+', '');
  const timestamp = String(Math.floor(Date.now() / 1000));
  const messages = [
    { type: 'contacts', contacts: [contact] },
    { type: 'location', location },
  ].map((message) => ({ from, id: `wamid.${randomUUID()}`, timestamp, ...message }));
  const body = JSON.stringify({ entry: [{ changes: [{ field: 'messages', value: { metadata, messages } }] }] });
  await post(gatewayUrl, asProvider(gatewayUrl).app(body));
}

const somethingAt = (staff: ApiClient, path: string) =>
  eventually(async () => {
    const { data } = (await staff.get(path)).body as { data: unknown[] };
    if (data.length === 0) throw new Error(`there is nothing at ${path}`);
  });

const arrived = (simulator: System['simulator'], person: string, words: string) =>
  eventually(async () => {
    const found = (await simulator.messages(person)).find(({ text }) => text.includes(words));
    if (!found) throw new Error(`“${words}” did not arrive`);
    return found;
  });

async function giveUpOnSomething({ database }: System): Promise<void> {
  await database('notifier')('dead_letters').insert({
    id: randomUUID(),
    queue: 'notifier.customers',
    event_id: randomUUID(),
    event_type: 'customer.changed',
    subject: 'C-1003',
    body: '{}',
    attempts: 8,
    error: 'the mail server did not answer within 10 seconds',
  });
}
