import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-template';
const phone = '+447700900335';

beforeAll(async () => {
  desk = await shareDesk();
  system = desk.system;
  const staff = await system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Silent', phones: [phone], locale: 'en-GB' });
  await system.simulator.person({ name: 'Demo Silent', phone });
});
afterAll(async () => {
  await desk?.stop();
});

const template = (page: Page) => page.getByRole('combobox', { name: 'Template' });
const field = (page: Page) => page.getByRole('textbox', { name: 'Write to the customer' });
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true });

test('who never wrote is written to in the template somebody chooses, by keyboard', async () => {
  const page = await desk.open(`/customers/${id}`);
  await template(page).waitFor();
  expect(await template(page).inputValue()).toBe('message_of_your_agent:en');
  const words = canary();
  await field(page).fill(`Good news:\n\n${words}`);
  await page.getByText(`with these words in it: “Good news: ${words}”`).waitFor();
  await template(page).focus();
  await page.keyboard.press('ArrowDown');
  await field(page).focus();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article').filter({ hasText: words }).getByText('Delivered').waitFor();
  expect(await system.simulator.messages(phone)).toMatchObject([
    { text: `Good news: ${words}`, template: 'message_of_your_agent:de' },
  ]);
  await page.close();
});

test('an undone message keeps the choice; another kind has none', async () => {
  const page = await desk.open(`/customers/${id}`);
  await field(page).fill('Half a thought');
  await template(page).selectOption('message_of_your_agent:de');
  await send(page).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await template(page).inputValue()).toBe('message_of_your_agent:de');
  await page.getByText('SMS', { exact: true }).click();
  await template(page).waitFor({ state: 'detached' });
  await page.close();
});

test('what is too long for a template is counted and not sent', async () => {
  const page = await desk.open(`/customers/${id}`);
  await template(page).waitFor();
  await field(page).fill('a'.repeat(1_024));
  await page.getByText('1,024 of 1,024 characters').waitFor();
  expect(await send(page).isEnabled()).toBe(true);
  await field(page).press('End');
  await page.keyboard.type('a');
  await page.getByText('1,025 of 1,024 characters').waitFor();
  await page.getByRole('status').filter({ hasText: 'Too long for a template.' }).waitFor();
  expect(await send(page).isDisabled()).toBe(true);
  await field(page).fill('');
  await page.close();
});

test('once the customer writes, words go as they are', async () => {
  const page = await desk.open(`/customers/${id}`);
  await template(page).waitFor();
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await template(page).waitFor({ state: 'detached' });
  const words = canary();
  await field(page).fill(words);
  await send(page).click();
  await page.getByRole('article').filter({ hasText: words }).getByText('Delivered').waitFor();
  expect((await system.simulator.messages(phone)).at(-1)).toMatchObject({ text: words, template: null });
  await page.close();
});

test('where no template is approved, it is said that nothing can be sent', async () => {
  const staff = await system.client('staff');
  await staff.put('/ops/customers/C-unapproved', { name: 'Demo Unapproved', phones: ['+447700900336'] });
  const page = await desk.signIn('demo-staff');
  await page.route('**/ops/messaging-templates', (asked) => asked.fulfill({ json: { data: [] } }));
  await page.goto(`${system.gatewayUrl}/customers/C-unapproved`);
  await page.getByText('nothing can be sent here until the customer writes').waitFor();
  await field(page).fill('Nobody gets this');
  expect(await send(page).isDisabled()).toBe(true);
  await page.keyboard.press('Control+Enter');
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
  await field(page).fill('');
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
