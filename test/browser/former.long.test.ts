import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { canary } from '@ops/test-kit/logs';
import { bringAxe, violations } from './axe.ts';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
const [id, name, phone] = ['C-former', 'Fay Former', '+447700900883'];

beforeAll(async () => {
  desk = await shareDeskWith({ id, name, phone, email: 'former@example.com' });
  const due_date = addDays(new Date().toISOString().slice(0, 10), 300);
  await (await desk.system.client('staff')).post(`/ops/customers/${id}/renewals`, {
    service_type: 'WORK_PERMIT',
    due_date,
  });
});
afterAll(() => desk?.stop());

test('a former customer leaves the lists, is found, writes again and waits, and is a customer again when somebody says so', async () => {
  const page = await desk.open(`/customers/${id}?tab=details`);
  const section = page.getByRole('region', { name: 'Former customer' });
  await page
    .getByRole('tab', { name: /^Renewals/ })
    .getByLabel('1 open')
    .waitFor();
  await section.getByRole('button', { name: 'Archive…' }).press('Enter');
  await section.getByText('1 renewal is still watched, and alerts as before.').waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByText(`${name} is a former customer now.`).waitFor();
  await page.locator('header').getByText('Former', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Who changed what' }).getByText('former customer yes, before no').waitFor();

  const list = await desk.open('/customers');
  const row = list.getByRole('row').filter({ hasText: name });
  await list.getByRole('row').nth(1).waitFor();
  expect(await row.count()).toBe(0);
  await list.getByText('Former', { exact: true }).first().click();
  await row.getByText('Former', { exact: true }).waitFor();
  await list.getByText('All', { exact: true }).first().click();
  await row.waitFor({ state: 'detached' });
  await list.getByRole('textbox', { name: 'Search customers' }).fill(phone);
  await row.getByText('Former', { exact: true }).waitFor();
  await list.close();
  const search = await desk.open('/');
  await search.getByRole('heading').first().waitFor();
  await search.keyboard.press('/');
  await search.getByRole('combobox', { name: 'Search everything' }).fill(phone);
  await search.getByRole('option', { name: new RegExp(`${name}.*former customer`) }).waitFor();
  await search.close();

  const asked = canary();
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  const waiting = await desk.open('/waiting?view=all');
  const waits = waiting.getByRole('row').filter({ hasText: name });
  await waits.getByText(asked).waitFor();
  await waits.getByText('Former', { exact: true }).waitFor();
  await page.getByText('Waiting for an answer, wrote').waitFor();
  await page.locator('header').getByText('Former', { exact: true }).waitFor();

  await section.getByRole('button', { name: 'A customer again' }).press('Enter');
  await page.getByText(`${name} is a customer again.`).waitFor();
  await waits.getByText('Former', { exact: true }).waitFor({ state: 'detached' });
  await waits.getByText(asked).waitFor();
  await waits.getByRole('button', { name: `Done: ${name}` }).click();
  await waits.waitFor({ state: 'detached' });
  await Promise.all([page.close(), waiting.close()]);
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
