import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
const name = 'Demo Impatient';
const phone = '+447700900771';

beforeAll(async () => {
  desk = await shareDeskWith({ id: 'C-impatient', name, phone, email: 'impatient@example.com' });
}, 120_000);
afterAll(() => desk?.stop());

test('who writes waits at once, for everybody, until somebody is done; reading is not answering', async () => {
  const [page, other] = [await desk.open('/waiting?view=all'), await desk.open('/waiting?view=all', 'demo-admin')];
  const row = (one: typeof page) => one.getByRole('row').filter({ hasText: name });
  const asked = canary();
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  for (const one of [page, other]) await row(one).getByText(asked).waitFor();
  await row(page).getByRole('link', { name }).click();
  await page.getByText('Waiting for an answer since').waitFor();
  await row(other).getByText('1 unread').waitFor({ state: 'detached' });
  await row(other).getByText(asked).waitFor();
  await page.getByRole('button', { name: `Done: ${name}` }).click();
  await page.getByText(`Done with ${name}.`).waitFor();
  await row(other).waitFor({ state: 'detached' });
  await Promise.all([page.close(), other.close()]);
});

test('who can wait is put off until a day and a time of one’s own choice, which must be to come', async () => {
  const page = await desk.open('/waiting?view=all');
  const row = page.getByRole('row').filter({ hasText: name });
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await row.getByRole('button', { name: `Snooze: ${name}` }).click();
  await page.getByRole('menuitem', { name: 'At another time…' }).click();
  const field = page.getByLabel(`Put off ${name} until`);
  await field.and(page.locator(':focus')).waitFor();
  await field.fill('2020-01-31T09:30');
  await field.press('Enter');
  await page.getByText('That is over already.').waitFor();
  const year = new Date(Date.now() + 30 * 86_400_000).getFullYear();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await field.fill(`${day}T09:30`);
  await field.press('Enter');
  await page.getByText(new RegExp(`${name} is put off until .*9:30`)).waitFor();
  await row.waitFor({ state: 'detached' });
  const { snoozed_until } = await desk.system.database('comms')('attention').whereNotNull('snoozed_until').first();
  expect([snoozed_until.getFullYear(), snoozed_until.getMinutes()]).toEqual([year, 30]);
  await page.close();
});
