import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { asProvider, post } from '../webhooks/as-provider.ts';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;
const [ours, theirs] = ['447700900000', '447700900661'];
const customer = { id: 'C-phone-app', name: 'Pia Example' };

beforeAll(async () => {
  desk = await shareDesk();
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${customer.id}`, { name: customer.name, phones: [`+${theirs}`] });
});
afterAll(() => desk?.stop());

/** As the messaging app tells of it. */
async function told(field: string, value: object): Promise<void> {
  const metadata = { display_phone_number: ours, phone_number_id: 'PHONE-1' };
  const body = JSON.stringify({ entry: [{ changes: [{ field, value: { metadata, ...value } }] }] });
  const { gatewayUrl } = desk.system;
  expect(await post(gatewayUrl, asProvider(gatewayUrl).app(body))).toMatchObject({ status: 200 });
}

const id = () => `wamid.${canary()}`;
const now = () => String(Math.floor(Date.now() / 1000));
const text = (body: string) => ({ type: 'text', text: { body } });
const wrote = (content: object) =>
  told('messages', { messages: [{ from: theirs, id: id(), timestamp: now(), ...content }] });
const bubble = (page: Page, words: string) => page.getByRole('article').filter({ hasText: words });

test('what staff write on the phone is in the log with what became of it, and what was said there before as well', async () => {
  const page = await desk.open(`/customers/${customer.id}`);
  const [echo, past, name] = [canary(), canary(), id()];
  await told('smb_message_echoes', {
    message_echoes: [{ from: ours, to: theirs, id: name, timestamp: now(), ...text(echo) }],
  });
  await bubble(page, echo).getByText('Sent').waitFor();
  await page.getByText('Written on the phone').waitFor();
  await told('messages', { statuses: [{ id: name, status: 'read', timestamp: now(), recipient_id: theirs }] });
  await bubble(page, echo).getByText('Read').waitFor();
  const messages = [{ from: theirs, id: id(), timestamp: now(), ...text(past) }];
  await told('history', { history: [{ threads: [{ id: theirs, messages }] }] });
  await bubble(page, past).getByText('From the history of the phone').waitFor();
  await page.close();
});

test('the newest words of a message are shown, what it said before on request, and that it was taken back', async () => {
  const page = await desk.open(`/customers/${customer.id}`);
  const [first, second, name] = [canary(), canary(), id()];
  await wrote({ id: name, context: { forwarded: true }, ...text(first) });
  await bubble(page, first).getByText('Forwarded').waitFor();
  await wrote({ type: 'edit', edit: { original_message_id: name, message: text(second) } });
  await bubble(page, second).getByRole('button', { name: 'Show what it said before' }).click();
  await bubble(page, second).getByText(first).waitFor();
  await bubble(page, second).hover();
  await bubble(page, second).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'What became of it' }).click();
  const history = page.getByRole('region', { name: 'What became of it' });
  await history.getByText(`its words changed by the customer`).waitFor();
  await history.getByText(`came from +${theirs} (cloud-api)`).waitFor();
  await history.getByRole('button', { name: 'Hide' }).click();
  await wrote({ type: 'revoke', revoke: { original_message_id: name } });
  await bubble(page, second).getByText('The customer took this back afterwards').waitFor();
  await page.close();
});

test('a form that was filled in is read as lines', async () => {
  const page = await desk.open(`/customers/${customer.id}`);
  const number = canary();
  const response_json = JSON.stringify({ flow_token: 'hidden', passport_number: number, agreed: true });
  await wrote({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply: { response_json } } });
  await bubble(page, `Passport number: ${number}`).getByText('Agreed: yes').waitFor();
  await page.close();
});

test('a contact and a place are cards: with numbers to copy, a way to write somebody down, and a map nobody is asked for yet', async () => {
  const page = await desk.open(`/customers/${customer.id}`);
  const name = canary();
  const contact = { name: { formatted_name: name }, phones: [{ phone: '+44 7700 900662' }] };
  await wrote({ type: 'contacts', contacts: [contact] });
  const card = page.getByRole('region', { name: `Contact: ${name}` });
  await card.getByRole('button', { name: 'Copy +44 7700 900662' }).waitFor();
  await wrote({ type: 'location', location: { name, latitude: 51.5, longitude: -0.1 } });
  const map = page.getByRole('region', { name: `Place: ${name}` }).getByRole('link', { name: 'On a map' });
  expect(await map.getAttribute('href')).toBe('https://www.openstreetmap.org/?mlat=51.5&mlon=-0.1#map=17/51.5/-0.1');
  expect(await map.getAttribute('rel')).toContain('noreferrer');
  await page.getByRole('textbox', { name: 'Search this log' }).fill(name);
  await page.getByRole('radiogroup', { name: 'Which communications' }).getByText('All 2').waitFor();
  await card.getByRole('link', { name: 'Write down as a customer' }).click();
  await page.getByLabel('Phones').and(page.locator(':not([value=""])')).waitFor();
  await page.close();
});

test('no page complained', () => {
  expect(desk.failures()).toEqual([]);
});
