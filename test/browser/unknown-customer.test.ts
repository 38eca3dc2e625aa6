import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;
const id = 'C-unheard-of';
const phone = '+447700900661';
let renewal: string;

beforeAll(async () => {
  desk = await shareDesk();
  const automation = await desk.system.client('automation');
  const { body } = await automation.post('/ops/events', {
    specversion: '1.0',
    id: `issued-to-${id}`,
    source: '/policies',
    type: 'policy.issued',
    time: new Date().toISOString(),
    data: {
      customer_id: id,
      policy_id: 'P-unheard-of',
      end_date: addDays(new Date().toISOString().slice(0, 10), 200),
    },
  });
  renewal = (body as { renewal_id: string }).renewal_id;
});
afterAll(() => desk?.stop());

test('a date of somebody whom nobody described leads to a form, which says at each field what is wrong and makes the page theirs', async () => {
  const page = await desk.open(`/renewals?renewal=${renewal}`);
  const drawer = page.getByRole('complementary', { name: 'The renewal in focus' });
  await drawer.getByRole('link', { name: 'Create this customer' }).click();
  await page.getByRole('heading', { name: `Nobody has described customer ${id} yet` }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: '200 days' })
    .getByRole('link', { name: 'Insurance policy' })
    .waitFor();
  expect(await page.getByText('Try again').count()).toBe(0);

  await page.getByRole('textbox', { name: 'Name' }).fill('Una Heard');
  await page.getByLabel('Phones').fill(`${phone}\nnone`);
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Nowhere');
  await page.getByRole('button', { name: 'Create this customer' }).click();
  await page.getByText(/^Must be a time zone/).waitFor();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Zurich');
  await page.getByRole('button', { name: 'Create this customer' }).click();
  await page.getByText(/^Line 2: /).waitFor();

  // What is typed is there again after a reload.
  await page.reload();
  await page.getByLabel('Phones').fill(`${phone}\n`);
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Una Heard');
  await page.getByLabel('Agent').selectOption('demo-staff');
  await page.getByRole('button', { name: 'Create this customer' }).press('Enter');
  await page.getByRole('heading', { name: 'Una Heard' }).waitFor();
  await page.getByRole('link', { name: phone, exact: true }).waitFor();
  await page.locator('#content').and(page.locator(':focus')).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('new ')))).toEqual([]);

  await page.goBack();
  await drawer.getByRole('link', { name: 'Una Heard' }).waitFor();
  expect(await drawer.getByText('Create this customer').count()).toBe(0);
  const { body } = await (await desk.system.client('staff')).get(`/ops/customers/${id}`);
  expect(body).toMatchObject({ phones: [phone], emails: [], time_zone: 'Europe/Zurich', assigned_agent: 'demo-staff' });
  await page.close();
});

test('the page of somebody becomes theirs by itself when a colleague describes them', async () => {
  const page = await desk.open('/customers/C-coming');
  await page.getByText('There is nothing about them but this id.').waitFor();
  await (await desk.system.client('staff')).put('/ops/customers/C-coming', { name: 'Cora Coming' });
  await page.getByRole('heading', { name: 'Cora Coming' }).waitFor();
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
