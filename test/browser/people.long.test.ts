import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { canary } from '@ops/test-kit/logs';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await shareDesk();
});
afterAll(() => desk?.stop());

test('somebody new is made by keyboard, is refused an id that another has, and gets the next number without one', async () => {
  const staff = await desk.system.client('staff');
  await staff.put('/ops/customers/C-there', { name: 'Thea There' });
  const page = await desk.open('/customers');
  await page.getByRole('link', { name: 'New customer' }).waitFor();
  await page.keyboard.press('c');
  const form = page.getByRole('complementary', { name: 'Somebody new' });
  await form.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('Nia Numbered');
  await form.getByLabel('Phones').fill('+447700900613');
  await form.getByLabel('Customer id').fill('C-there');
  await form.getByRole('button', { name: 'Create the customer' }).press('Enter');
  await form.getByText('C-there is Thea There already').waitFor();
  await form.getByLabel('Customer id').fill('');
  await form.getByRole('button', { name: 'Create the customer' }).press('Enter');
  await page.getByRole('heading', { name: 'Nia Numbered' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1);
  expect(id).toMatch(/^C-\d+$/);
  expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ phones: ['+447700900613'] });
  await page.close();
});

test('whom the search does not find it offers to create, with what was typed', async () => {
  const page = await desk.open('/renewals');
  await page.keyboard.press('/');
  await page.keyboard.type('nobody.yet@example.com');
  await page.getByRole('option', { name: 'Create customer “nobody.yet@example.com”' }).waitFor();
  await page.keyboard.press('Enter');
  const form = page.getByRole('complementary', { name: 'Somebody new' });
  await form.getByLabel('E-mails').waitFor();
  expect(await form.getByLabel('E-mails').inputValue()).toBe('nobody.yet@example.com');
  await form.getByRole('textbox', { name: 'Name' }).fill('Noa Yet');
  await form.getByRole('button', { name: 'Create the customer' }).press('Enter');
  await page.getByRole('heading', { name: 'Noa Yet' }).waitFor();
  await page.close();
});

test('a sender who means nobody here is put away, comes back, and their next message disturbs nobody', async () => {
  const page = await desk.open('/unmatched');
  const stranger = '+447700900614';
  const [first, second] = [canary(), canary()];
  const cardOf = (text: string) => page.getByRole('article').filter({ hasText: text });
  await desk.system.simulator.person({ phone: stranger });
  await desk.system.simulator.write(stranger, { channel: 'SMS', text: first });
  await cardOf(first).getByRole('button', { name: 'Not for us' }).click();
  await cardOf(first).waitFor({ state: 'detached' });
  await page
    .getByRole('status')
    .locator('div', { hasText: '1 message put away as not for us.' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await cardOf(first).getByRole('button', { name: 'Not for us' }).click();
  await cardOf(first).waitFor({ state: 'detached' });
  await page.getByRole('radiogroup', { name: 'Which messages' }).getByText('Not for us').click();
  await cardOf(first).waitFor();
  await desk.system.simulator.write(stranger, { channel: 'SMS', text: second });
  await cardOf(second).getByText('What this sender writes comes here.').waitFor();
  await cardOf(second).getByRole('button', { name: 'Let it wait again' }).click();
  await page.getByText('2 messages wait again.').waitFor();
  await cardOf(first).waitFor({ state: 'detached' });
  await page.getByRole('radiogroup', { name: 'Which messages' }).getByText('Waiting').click();
  for (const text of [first, second]) await cardOf(text).waitFor();
  await cardOf(first).getByRole('button', { name: 'New customer' }).click();
  await cardOf(first).getByLabel('Name').fill('Una Known');
  await cardOf(first).getByRole('button', { name: 'Create and link' }).click();
  await page.getByText('2 messages moved to Una Known.').waitFor();
  await page.close();
});

test('on a phone at least half of a thread’s page is what was said, and the counts of its tabs are read', async () => {
  const staff = await desk.system.client('staff');
  await staff.put('/ops/customers/C-narrow', {
    name: 'Nora Narrow',
    phones: ['+447700900773'],
    preferred_channel: 'SMS',
  });
  await staff.post('/ops/customers/C-narrow/communications', { type: 'SMS', direction: 'INBOUND', body: 'Hello' });
  await staff.post('/ops/tasks', { customer_id: 'C-narrow', title: 'Call', priority: 'HIGH' });
  const due_date = addDays(new Date().toISOString().slice(0, 10), 12);
  await staff.post('/ops/customers/C-narrow/renewals', { service_type: 'WORK_PERMIT', due_date });
  const page = await desk.open('/customers/C-narrow');
  const [width, height] = [390, 844];
  await page.setViewportSize({ width, height });
  await page.getByText('Waiting for an answer, wrote').waitFor();
  const count = page.getByRole('tab', { name: /Tasks/ }).getByText('1', { exact: true });
  expect((await count.boundingBox())?.width).toBeGreaterThan(4);
  await page.getByText(/expires in 12 days/).waitFor();
  const log = page.getByRole('log', { name: 'Communications' });
  await log.getByText('Hello').waitFor();
  expect((await log.boundingBox())?.height).toBeGreaterThanOrEqual(height / 2);
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
