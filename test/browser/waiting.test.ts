import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import { bringAxe, violations } from './axe.ts';
import { shareDeskWith } from './customer.ts';
import { type Desk, stays } from './desk.ts';

let desk: Desk;
const name = 'Demo Impatient';
const phone = '+447700900771';

beforeAll(async () => {
  desk = await shareDeskWith({ id: 'C-impatient', name, phone, email: 'impatient@example.com' });
});
afterAll(() => desk?.stop());

test('who writes waits at once, for everybody, until somebody is done; reading is not answering', async () => {
  const [page, other] = [await desk.open('/waiting?view=all'), await desk.open('/waiting?view=all', 'demo-admin')];
  const row = (one: typeof page) => one.getByRole('row').filter({ hasText: name });
  const asked = canary();
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  for (const one of [page, other]) await row(one).getByText(asked).waitFor();
  await row(page).getByRole('link', { name }).click();
  await page.getByText('Waiting for an answer, wrote').waitFor();
  await row(other).getByText('1 unread').waitFor({ state: 'detached' });
  await row(other).getByText(asked).waitFor();
  await page.getByRole('button', { name: `Done: ${name}` }).click();
  await page.getByText(`Done with ${name}.`).waitFor();
  await row(other).waitFor({ state: 'detached' });
  await Promise.all([page.close(), other.close()]);
});

test('by keyboard alone, who can wait is put off until a day and time of one’s own choice, which must be to come', async () => {
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  const page = await desk.open('/waiting?view=all');
  const row = page.getByRole('row').filter({ hasText: name });
  const focused = page.locator(':focus');
  const until = page.getByRole('dialog', { name: `Snooze ${name} until` }).getByLabel('Until');
  const link = row.getByRole('link', { name });
  await link.focus();
  const choose = async () => {
    await page.keyboard.press('s');
    await page
      .getByRole('menuitem', { name: /^In 3 hours/ })
      .and(focused)
      .waitFor();
    await page.keyboard.press('ArrowUp');
    await page.getByRole('menuitem', { name: 'At another time…' }).and(focused).waitFor();
    await page.keyboard.press('Enter');
    await until.and(focused).waitFor();
  };
  await choose();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await link.and(focused).waitFor();
  await until.waitFor({ state: 'detached' });
  await choose();
  await until.fill('2020-01-31T09:30');
  await page.keyboard.press('Enter');
  await page.getByText('That is over already.').waitFor();
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await until.fill(`${day}T09:30`);
  await page.keyboard.press('Enter');
  await page.getByText(new RegExp(`${name} is put off until .*9:30`)).waitFor();
  await row.waitFor({ state: 'detached' });
  const { snoozed_until } = await desk.system
    .database('comms')('attention')
    .where({ customer_id: 'C-impatient' })
    .first();
  expect(snoozed_until).toEqual(new Date(`${day}T09:30`));
  await page.close();
});

test('by keyboard, being done, putting off and waking are taken back, and who was answered meanwhile stays so', async () => {
  const asked = canary();
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  const page = await desk.open('/waiting?view=all');
  const row = page.getByRole('row').filter({ hasText: name });
  const inHand = async () => {
    await row.getByText(asked).waitFor();
    await row.getByRole('link', { name }).focus();
  };
  await inHand();
  await page.keyboard.press('e');
  await stays(page, `Done with ${name}.`);
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await page.getByText(`Taken back: ${name} waits for an answer.`).waitFor();
  await inHand();
  const inMenu = async (item: RegExp) => {
    await page.keyboard.press('s');
    await page.getByRole('menuitem', { name: item }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
  };
  await inMenu(/^In 3 hours/);
  await page.getByText(`${name} is put off until`).first().waitFor();
  await row.waitFor({ state: 'detached' });
  await page.getByText('Snoozed', { exact: true }).click();
  await inHand();
  await inMenu(/^Wake now/);
  await stays(page, `${name} waits again.`);
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await page.getByText(`Taken back: ${name} is put off until`).waitFor();
  await inHand();
  await page.keyboard.press('Enter');
  await page.getByText('Snoozed until').waitFor();
  await page.getByText(asked).waitFor();
  await page.getByRole('button', { name: `Done: ${name}` }).click();
  await stays(page, `Done with ${name}.`);
  const answer = { type: 'SMS', direction: 'OUTBOUND', body: canary() };
  await (await desk.system.client('staff')).post('/ops/customers/C-impatient/communications', answer);
  await page.keyboard.press('u');
  await page.getByText(`Taken back, but ${name} waits for nothing: they have their answer.`).waitFor();
  await page.close();
});
