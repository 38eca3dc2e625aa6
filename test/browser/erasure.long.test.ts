import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bringAxe, violations } from './axe.ts';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
const id = 'C-to-erase';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Erna Erase', phone: '+447700900884', email: 'erna@example.com' });
});
afterAll(() => desk?.stop());

test('an admin proposes to erase them by typing their id, another confirms it, and a day later a certificate stands there', async () => {
  const second = await desk.system.client('admin', 'chief-2');
  const page = await desk.open(`/customers/${id}?tab=details`, 'demo-admin');
  const erase = page.getByRole('region', { name: 'Erase' });
  await erase.getByRole('button', { name: 'Erase…' }).press('Enter');
  await page.keyboard.type('C-somebody-else');
  await page.keyboard.press('Enter');
  await erase.getByText(`That is not ${id}.`).waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(id);
  await page.keyboard.press('Enter');
  await erase.getByText(/A day after another admin confirms it/).waitFor();
  expect(await erase.getByRole('button').allTextContents()).toEqual(['Call off']);

  const { body } = await second.get(`/ops/customers/${id}/erasure`);
  const proposal = (body as { proposal: { id: string } }).proposal.id;
  await second.post(`/ops/proposals/${proposal}/confirm`);
  await page.reload();
  await erase.getByText(/confirmed by/).waitFor();
  await erase.getByRole('button', { name: 'Call off' }).press('Enter');
  await erase.getByRole('button', { name: 'Erase…' }).press('Enter');
  await page.keyboard.type(id);
  await page.keyboard.press('Enter');
  await erase.getByText(/A day after another admin confirms it/).waitFor();

  const again = await second.get(`/ops/customers/${id}/erasure`);
  const other = (again.body as { proposal: { id: string } }).proposal.id;
  await second.post(`/ops/proposals/${other}/confirm`);
  await desk.system.database('comms')('proposals').where({ id: other }).update({ effective_at: new Date() });
  await page.getByRole('heading', { name: `Customer ${id} was erased` }).waitFor();
  await page.getByText('Every service had nothing left').waitFor();
  await page.getByRole('table', { name: 'What was erased' }).getByText('identifiers').waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  const staff = await desk.open(`/customers/${id}`);
  await staff.getByText('nobody is given this id again').waitFor();
  expect(await staff.getByRole('table').count()).toBe(0);
  await staff.close();
  await page.close();
});

test('staff are not shown that anybody can be erased', async () => {
  await (await desk.system.client('staff')).put('/ops/customers/C-not-erased', { name: 'Nora Stays' });
  const page = await desk.open('/customers/C-not-erased?tab=details');
  await page.getByRole('region', { name: 'Legal hold' }).waitFor();
  expect(await page.getByRole('region', { name: 'Erase' }).count()).toBe(0);
  await page.close();
});
