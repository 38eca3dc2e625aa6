import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bringAxe, violations } from './axe.ts';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
const id = 'C-details';
const [phone, second] = ['+447700900881', '+447700900882'];

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Dora Details', phone, email: 'dora@example.com' });
}, 120_000);
afterAll(() => desk?.stop());

test('a number is changed by keyboard alone, and who changed what is told below', async () => {
  const page = await desk.open(`/customers/${id}`);
  await page.getByRole('tab', { name: 'Communications' }).focus();
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
  await page.getByLabel('Phones').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(`${second}\nnone`);
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText(/^Line 2: /).waitFor();
  await page.getByLabel('Phones').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(`${second}\n${phone}`);
  await page.getByLabel('Preferred channel').selectOption('SMS');
  await page.getByRole('checkbox', { name: /Not to be contacted/ }).press('Space');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('Dora Details is saved.').waitFor();
  const history = page.getByRole('region', { name: 'Who changed what' });
  await history.getByText(`phones ${second}, ${phone}, before ${phone}`).waitFor();
  await history.getByText('preferred channel SMS, before none').waitFor();
  await page.locator('header').getByText('Not to be contacted').waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.close();
});

test('what a colleague saved meanwhile is not written over unasked, and nothing typed is lost', async () => {
  const staff = await desk.system.client('staff');
  const page = await desk.open(`/customers/${id}?tab=details`);
  await page.getByLabel('Language').fill('de');
  await staff.patch(`/ops/customers/${id}`, { name: 'Dora Colleague' });
  await page.getByRole('heading', { name: 'Dora Colleague' }).waitFor();
  await page.getByText('Somebody else changed this since you began.').waitFor();
  await page.reload();
  expect(await page.getByLabel('Language').inputValue()).toBe('de');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Dora Colleague');
  await page.getByLabel('Language').fill('fr');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Dora Colleague is saved.').waitFor();
  expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ name: 'Dora Colleague', locale: 'fr' });
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
