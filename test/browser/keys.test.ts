import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';

let desk: Desk;
const id = 'C-keys';
const customer = 'Demo Keys';
const phone = '+447700900334';

beforeAll(async () => {
  desk = await startDesk();
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: customer, phones: [phone] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
  await desk.system.simulator.person({ name: customer, phone });
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  const today = new Date().toISOString().slice(0, 10);
  for (const days of [10, 20, 30, 40]) {
    const body = { service_type: 'WORK_PERMIT', due_date: addDays(today, days), policy_id: `P-${days}` };
    await staff.post(`/ops/customers/${id}/renewals`, body);
  }
}, 120_000);
afterAll(() => desk?.stop());

const row = (page: Page, days: number) => page.getByRole('row').filter({ hasText: `P-${days}` });
/** Until the keys are there. */
const inHand = (page: Page, days: number) =>
  row(page, days)
    .getByRole('link', { name: `Work permit of ${customer}` })
    .and(page.locator(':focus'))
    .waitFor();
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const drawer = (page: Page) => page.getByRole('complementary', { name: 'The renewal in focus' });

async function queue(open = desk.open): Promise<Page> {
  const page = await open('/renewals');
  await page.setViewportSize({ width: 1800, height: 900 });
  await row(page, 40).waitFor();
  return page;
}

test('with nothing but the keys somebody answers a customer, goes to the renewals, completes one and takes it back', async () => {
  const page = await desk.open('/');
  await press(page, '/');
  await page.keyboard.type(customer);
  await page.getByRole('option', { name: customer }).waitFor();
  await press(page, 'Enter');
  await page.getByRole('heading', { name: customer }).waitFor();
  await press(page, 'Shift+?');
  const help = page.getByRole('complementary', { name: 'Keys' });
  await help.getByText('write to the customer').waitFor();
  await press(page, 'Escape');
  await help.waitFor({ state: 'detached' });

  await press(page, 'r');
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.and(page.locator(':focus')).waitFor();
  const answer = `r is a letter here: ${canary()}`;
  await page.keyboard.type(answer);
  expect(await field.inputValue()).toBe(answer);
  await press(page, 'Control+Enter');
  await page.getByRole('article').filter({ hasText: answer }).getByText('Delivered').waitFor();

  await press(page, 'Escape', '/');
  await page.keyboard.type('Renewals');
  await page.getByRole('option', { name: 'Renewals', exact: true, selected: true }).waitFor();
  await press(page, 'Enter');
  await row(page, 10).waitFor();
  await press(page, 'j');
  await inHand(page, 10);
  await press(page, 'e');
  await page.getByText('Completed. The next one is due').waitFor();
  await row(page, 10).waitFor({ state: 'detached' });
  await press(page, 'u');
  await page.getByText('Reopened.').waitFor();
  await row(page, 10).waitFor();
  await page.close();
});

test('with one open the keys go on from it, also from in the drawer', async () => {
  const page = await queue();
  await press(page, 'j', 'j');
  await inHand(page, 20);
  await press(page, 'Enter');
  await drawer(page).and(page.locator(':focus')).waitFor();
  await press(page, 'j');
  await inHand(page, 30);
  await page.close();
});

test('what stands there until another list has come is dimmed, and no key or click acts on it', async () => {
  const page = await queue();
  await press(page, 'j');
  await inHand(page, 10);
  await press(page, 'x');
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/renewals\?.*window=30/, async (asked) => {
    ask();
    await mayAnswer;
    await asked.continue();
  });
  let changed = 0;
  page.on('request', (asked) => {
    if (asked.method() !== 'GET') changed += 1;
  });
  await page.getByRole('radiogroup', { name: 'Due within' }).getByText('30 days').click();
  await isAsked;
  const former = page.locator('[inert][aria-busy=true]');
  await former.waitFor();
  expect(await former.getByRole('row', { includeHidden: true }).count()).toBeGreaterThan(4);
  await page.locator('#content').focus();
  await press(page, 'j', 'e', 'x', 'a');
  await row(page, 10).getByTitle('Complete').click({ force: true });
  answer();
  await row(page, 40).waitFor({ state: 'detached' });
  await former.waitFor({ state: 'detached' });
  expect(changed).toBe(0);
  expect(await row(page, 10).getByRole('checkbox').isChecked()).toBe(true);
  await page.close();
});

test('a search typed with a pause goes on where it was, and is empty again on the way back', async () => {
  const page = await desk.open('/customers');
  const field = page.getByRole('textbox', { name: 'Search customers' });
  await field.focus();
  await page.keyboard.type('De');
  await page.waitForURL(/query=De$/);
  await page.keyboard.type('mo');
  await page.waitForURL(/query=Demo$/);
  await page.getByRole('navigation').getByRole('link', { name: 'Customers' }).click();
  await page.waitForURL(/customers$/);
  expect(await field.inputValue()).toBe('');
  await page.close();
});

test('the arrows go through the agents, and Enter gives; the keys go on at the row where they were', async () => {
  const page = await queue();
  await press(page, 'j', 'j');
  await inHand(page, 20);
  await press(page, 'a');
  const give = page.getByRole('combobox', { name: 'Give to' });
  await give.and(page.locator(':focus')).waitFor();
  let given = 0;
  page.on('request', (asked) => {
    if (asked.url().endsWith('/assign')) given += 1;
  });
  await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown');
  expect(await give.inputValue()).toBe('demo-admin');
  expect(given).toBe(0);
  await press(page, 'Enter');
  await page.getByText('1 given to Demo Admin.').waitFor();
  await row(page, 20).getByRole('cell', { name: 'Demo Admin' }).waitFor();
  await inHand(page, 20);
  expect(given).toBe(1);

  await press(page, 'a', 'ArrowDown', 'Escape');
  expect(await give.inputValue()).toBe('?');
  await page.getByRole('button', { name: 'Clear' }).press('Enter');
  await inHand(page, 20);
  expect(given).toBe(1);
  await page.close();
});

test('in the drawer too, and what is changed keeps the keys where it is', async () => {
  const page = await queue();
  await press(page, 'j', 'Enter');
  const agent = drawer(page).getByRole('combobox', { name: 'Agent' });
  await agent.focus();
  await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
  await page.getByText('1 given to Demo Admin.').waitFor();
  await row(page, 10).getByRole('cell', { name: 'Demo Admin' }).waitFor();
  await agent.and(page.locator(':focus')).waitFor();
  const reminders = drawer(page).getByRole('switch');
  await reminders.focus();
  await press(page, ' ');
  await reminders.and(page.locator(':focus:not(:checked)')).waitFor();
  await page.waitForLoadState('networkidle');
  await reminders.and(page.locator(':focus')).waitFor();
  await page.close();
});

test('a row opened and a customer gone to load no page anew, and the way back is the way one came', async () => {
  const page = await queue();
  await page.evaluate(() => Object.assign(globalThis, { isTheSame: true }));
  await row(page, 30).getByRole('link', { name: 'Work permit' }).click();
  await drawer(page).waitFor();
  await row(page, 30).getByRole('link', { name: customer, exact: true }).click();
  await page.getByRole('heading', { name: customer }).waitFor();
  await page.goBack();
  await drawer(page).waitFor();
  await page.goBack();
  await drawer(page).waitFor({ state: 'detached' });
  await row(page, 30).waitFor();
  expect(await page.evaluate(() => 'isTheSame' in globalThis)).toBe(true);
  await page.close();
});

test('what is done in the drawer leaves the keys in it, also where the button goes away', async () => {
  const page = await queue();
  await press(page, 'j', 'j', 'j', 'j');
  await inHand(page, 40);
  await press(page, 'Enter');
  const button = (name: string) => drawer(page).getByRole('button', { name, exact: true });
  const isFocused = page.locator(':focus');
  for (const [name, after] of [
    ['Start', 'In progress'],
    ['Complete', 'Completed'],
    ['Reopen', 'In progress'],
    ['Cancel', 'Cancelled'],
    ['Reopen', 'In progress'],
  ] as const) {
    await button(name).press('Enter');
    await drawer(page).getByText(`${after} · due`).waitFor();
    await button(name).waitFor({ state: 'detached' });
    await drawer(page).and(isFocused).waitFor();
  }

  // What is refused leaves the keys where they are.
  await page.route('**/complete', (asked) => asked.fulfill({ status: 409, json: { title: 'Refused for once' } }));
  await button('Complete').press('Enter');
  await page.getByText('Refused for once').waitFor();
  await button('Complete').and(isFocused).waitFor();
  await page.close();
});

test('another one opened takes the keys; Escape closes it wherever they are, and gives them back', async () => {
  const page = await queue();
  await press(page, 'j', 'Enter');
  await drawer(page).and(page.locator(':focus')).waitFor();
  await row(page, 20).getByRole('link', { name: 'Work permit' }).press('Enter');
  await page.waitForURL((url) => url.searchParams.has('renewal'));
  await drawer(page).and(page.locator(':focus')).waitFor();
  await press(page, 'Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await inHand(page, 20);
  await press(page, 'Enter');
  await drawer(page).and(page.locator(':focus')).waitFor();
  await row(page, 30).getByRole('link', { name: 'Work permit' }).focus();
  await press(page, 'Escape');
  await drawer(page).waitFor({ state: 'detached' });
  await inHand(page, 30);
  await page.close();
});

test('completed by keyboard, one goes on with the next; a message that somebody is at stays', async () => {
  const page = await queue(desk.openApart);
  await page.clock.install();
  await press(page, 'j', 'j');
  await inHand(page, 20);
  await press(page, 'e');
  await row(page, 20).waitFor({ state: 'detached' });
  await inHand(page, 30);
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.focus();
  await page.clock.fastForward(11_000);
  await press(page, 'u');
  await row(page, 20).waitFor();
  await page.close();
}, 60_000);

test('on a phone the page is no wider than it, and everything at its foot is in sight', async () => {
  const page = await desk.open('/renewals');
  await page.setViewportSize({ width: 360, height: 740 });
  await row(page, 10).waitFor();
  for (const name of ['Refresh now', 'Sign out', 'Search customers and pages'])
    expect(await right(page.getByRole('button', { name }))).toBeLessThanOrEqual(360);
  for (const name of ['Watch a date', 'Settings'])
    expect(await right(page.getByRole('link', { name }))).toBeLessThanOrEqual(360);
  expect(await right(page.getByText('Live', { exact: true }))).toBeLessThanOrEqual(360);
  const announced = page.getByRole('navigation').getByRole('listitem').last();
  await announced.getByText('All communications').scrollIntoViewIfNeeded();
  expect(await right(announced)).toBeLessThanOrEqual(360);
  await page.close();
});

async function right(one: ReturnType<Page['locator']>): Promise<number> {
  const box = await one.boundingBox();
  return box ? box.x + box.width : Number.POSITIVE_INFINITY;
}

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
