import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';
import { customer, drawer, inHand, press, queue, row, watchFour } from './key-steps.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await startDesk();
  await watchFour(desk);
});
afterAll(() => desk?.stop());

test('what stands there until another list has come is dimmed, and no key or click acts on it', async () => {
  const page = await queue(desk.open);
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

test('in the drawer too, and what is changed keeps the keys where it is', async () => {
  const page = await queue(desk.open);
  await press(page, 'j', 'Enter');
  const agent = drawer(page).getByRole('combobox', { name: 'Agent' });
  await agent.focus();
  await press(page, 'ArrowDown', 'ArrowDown', 'Enter');
  await page.getByText('1 given to Demo Admin.').waitFor();
  await row(page, 10).getByRole('cell', { name: 'Demo Admin' }).waitFor();
  await agent.and(page.locator(':focus')).waitFor();
  const reminders = drawer(page).getByRole('switch');
  // Until then the change before is not yet on the screen, and the next is not taken.
  await reminders.and(page.locator(':not([aria-disabled=true])')).waitFor();
  await reminders.focus();
  await press(page, ' ');
  await reminders.and(page.locator(':focus:not(:checked)')).waitFor();
  await page.waitForLoadState('networkidle');
  await reminders.and(page.locator(':focus')).waitFor();
  await page.close();
});

test('a row opened and a customer gone to load no page anew, and the way back is the way one came', async () => {
  const page = await queue(desk.open);
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
  const page = await queue(desk.open);
  await press(page, 'j', 'j', 'j', 'j');
  await inHand(page, 40);
  await press(page, 'Enter');
  const button = (name: string) => drawer(page).getByRole('button', { name, exact: true });
  const isFocused = page.locator(':focus');
  for (const [name, after] of [
    ['Start', 'In progress'],
    ['Complete', 'Completed'],
    ['Reopen', 'In progress'],
    ['Cancel the renewal', 'Cancelled'],
    ['Reopen', 'In progress'],
  ] as const) {
    if (name === 'Cancel the renewal') await button('Cancel…').press('Enter');
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
});

test('on a phone the page is no wider than it, and everything at its foot is in sight', async () => {
  const page = await desk.open('/renewals');
  await page.setViewportSize({ width: 360, height: 740 });
  await row(page, 10).waitFor();
  for (const name of ['Refresh now', 'Sign out', 'Search everything'])
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
