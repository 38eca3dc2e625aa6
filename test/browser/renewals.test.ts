import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type Desk, startDesk, stays } from './desk.ts';
import { customer, drawer, inHand, press, queue, row, watchFour } from './key-steps.ts';
import { dayOf, inDays, watchFor } from './renewal-steps.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-renewals';
const watch = watchFor(() => desk, id);

beforeAll(async () => {
  desk = await startDesk();
  system = desk.system;
  await watchFour(desk);
  const staff = await system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Watched', phones: ['+447700900333'] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
});
afterAll(() => desk?.stop());

test('with nothing but the keys somebody answers a customer, goes to the renewals, completes one and takes it back', async () => {
  const page = await desk.open('/');
  await press(page, '/');
  await page.keyboard.type(customer);
  await page.getByRole('option', { name: new RegExp(`^${customer}`) }).waitFor();
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
  const page = await queue(desk.open);
  await press(page, 'j', 'j');
  await inHand(page, 20);
  await press(page, 'Enter');
  await drawer(page).and(page.locator(':focus')).waitFor();
  await press(page, 'j');
  await inHand(page, 30);
  await page.close();
});

test('the arrows go through the agents, and Enter gives; the keys go on at the row where they were', async () => {
  const page = await queue(desk.open);
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

test('another one opened takes the keys; Escape closes it wherever they are, and gives them back', async () => {
  const page = await queue(desk.open);
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

test('a date is watched, and refreshed to 14 days it has a HIGH task', async () => {
  const page = await desk.open('/renewals');
  await page.getByRole('link', { name: 'Watch a date' }).click();
  await page.getByRole('combobox', { name: /Customer/ }).fill('Demo Wat');
  await page.getByRole('option', { name: /Demo Watched/ }).click();
  await page.getByRole('combobox', { name: 'Service', exact: true }).last().selectOption('RESIDENCE_PERMIT');
  await page.getByLabel('Due date').fill(inDays(14));
  await page.getByRole('button', { name: 'Watch it' }).click();
  await page.getByRole('heading', { name: 'Residence permit' }).waitFor();
  const drawer = page.getByRole('complementary', { name: 'The renewal in focus' });
  await drawer.getByText('14 days', { exact: true }).waitFor();

  await (await system.client('staff')).post('/ops/renewals/refresh');
  await drawer.getByText('HIGH', { exact: true }).waitFor();
  await drawer.getByRole('listitem').filter({ hasText: '14' }).filter({ hasText: 'fired' }).first().waitFor();
  const task = drawer.getByRole('listitem').filter({ hasText: 'HIGH' }).getByRole('link');
  const title = await task.textContent();
  await task.click();
  await page.getByRole('complementary', { name: `Task: ${title}` }).waitFor();
  await page.close();
});

test('what is overdue is narrowed to by its bar, and the bar chosen again shows all', async () => {
  const { id: overdue } = await watch(-2, 'INSURANCE_POLICY');
  await watch(3);
  await (await system.client('staff')).post('/ops/renewals/refresh');
  const page = await desk.open('/renewals');
  const rows = page.locator('tbody tr');
  await page.locator(`[data-renewal="${overdue}"]`).waitFor();
  const bar = page.getByRole('button', { name: /^Overdue: 1/ });
  await bar.click();
  await eventually(async () => expect(await rows.count()).toBe(1));
  expect(await bar.getAttribute('aria-pressed')).toBe('true');
  await bar.click();
  await eventually(async () => expect(await rows.count()).toBeGreaterThan(1));

  const thisWeek = page.getByRole('button', { name: /^Week of/ }).first();
  await thisWeek.click();
  const left = Number(/: (\d+)/.exec((await thisWeek.getAttribute('title')) ?? '')?.[1] ?? 0);
  await eventually(async () => expect(await rows.count()).toBe(left));
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('demo-admin');
  await page.getByRole('button', { name: 'Overdue: nothing' }).waitFor();
  await page.getByRole('button', { name: 'Filters: Demo Admin' }).waitFor();
  await page.close();
});

test('several are given to somebody at once, another person sees it, and undone each goes back', async () => {
  await (await system.client('staff')).put('/ops/agents/zoe', { name: 'Zoe Demo' });
  const [page, other] = [await desk.open('/renewals'), await desk.open('/renewals', 'demo-admin')];
  const boxes = page.getByRole('checkbox');
  await boxes.first().waitFor();
  const count = await boxes.count();
  for (const box of await boxes.all()) await box.check();
  await page.getByRole('combobox', { name: 'Give to' }).selectOption('zoe');
  await stays(page, `${count} given to Zoe Demo.`);
  await eventually(async () => expect(await other.getByRole('cell', { name: 'Zoe Demo' }).count()).toBe(count));
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => expect(await other.getByRole('cell', { name: 'Zoe Demo' }).count()).toBe(0));
  await Promise.all([page.close(), other.close()]);
});

test('a date is changed in the drawer and put back, and what is cancelled can be reopened', async () => {
  const { id: renewal } = await watch(40);
  const page = await desk.open(`/renewals?renewal=${renewal}`);
  const drawer = page.getByRole('complementary', { name: 'The renewal in focus' });
  await drawer.getByLabel('Due date').fill(inDays(50));
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('50 days', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await drawer.getByText('40 days', { exact: true }).waitFor();
  await drawer.getByRole('button', { name: 'Cancel…' }).click();
  await drawer.getByLabel('Why it is not to be renewed').selectOption('The customer went elsewhere');
  await drawer.getByLabel('Note', { exact: true }).fill('To their bank');
  await drawer.getByRole('button', { name: 'Cancel the renewal' }).click();
  await page.getByText('Cancelled. Nobody is reminded of it any more.').waitFor();
  await drawer.getByText('The customer went elsewhere: To their bank').waitFor();
  await drawer.getByRole('button', { name: 'Reopen' }).click();
  await drawer.getByRole('button', { name: 'Cancel…' }).waitFor();
  expect(await drawer.getByRole('form', { name: 'Cancel the renewal' }).count()).toBe(0);
  await page.close();
});

test('what one types outlasts another renewal in the drawer, and never overwrites what a colleague wrote meanwhile', async () => {
  const [one, other] = [await watch(61), await watch(62)];
  const page = await desk.open(`/renewals?renewal=${one.id}`);
  const drawer = page.getByRole('complementary', { name: 'The renewal in focus' });
  const notes = drawer.getByLabel('Notes');
  await notes.fill('mine');
  await page.locator(`[data-renewal="${other.id}"] [data-opens]`).click();
  await drawer.getByText('62 days', { exact: true }).waitFor();
  await page.locator(`[data-renewal="${one.id}"] [data-opens]`).click();
  await drawer.getByText('61 days', { exact: true }).waitFor();
  expect(await notes.inputValue()).toBe('mine');
  await (await system.client('staff')).patch(`/ops/renewals/${one.id}`, { notes: 'theirs, important' });
  await drawer.getByText('theirs, important', { exact: true }).waitFor();
  expect(await drawer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await drawer.getByRole('button', { name: 'Keep mine' }).click();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const stored = await (await system.client('staff')).get(`/ops/renewals/${one.id}`);
  expect(stored.body).toMatchObject({ notes: 'mine' });
  await page.close();
});

test('a refresh tells whom it alerted by rung, each number leads to those renewals, and one click shows all again', async () => {
  await (await system.client('staff')).post('/ops/renewals/refresh');
  const [urgent, month] = [await watch(7, 'INSURANCE_POLICY'), await watch(30)];
  const page = await desk.open('/renewals');
  await page.getByRole('button', { name: 'Refresh now' }).click();
  const report = page.getByRole('region', { name: 'Refresh' });
  await report.getByText(/alerted 2: 1 at 30 days, 1 at 7 days\.$/).waitFor();
  const rows = page.locator('tbody tr');
  const shown = () => rows.evaluateAll((all) => all.map((one) => one.getAttribute('data-renewal')));
  await report.getByRole('link', { name: '1 at 7 days' }).click();
  await eventually(async () => expect(await shown()).toEqual([urgent.id]));
  const refreshed = `by the refresh of ${dayOf(inDays(0))}`;
  const chip = page.getByRole('button', { name: `Alerted at 7 days ${refreshed}` });
  await chip.waitFor();
  await (await system.client('staff')).patch(`/ops/renewals/${urgent.id}/complete`);
  await page.getByRole('cell', { name: 'Completed' }).waitFor();
  expect(await shown()).toEqual([urgent.id]);
  await chip.press('Enter');
  await chip.waitFor({ state: 'detached' });
  await page.locator('#content').and(page.locator(':focus')).waitFor();
  await page.locator(`[data-renewal="${urgent.id}"]`).waitFor({ state: 'detached' });

  await page.goto(`${system.gatewayUrl}/runs`);
  await page.locator('tbody').getByRole('link').first().click();
  const drawer = page.getByRole('complementary', { name: /^Refresh for/ });
  await drawer
    .getByRole('row', { name: /^30 days/ })
    .getByRole('link', { name: '1' })
    .click();
  await page.getByRole('button', { name: `Alerted at 30 days ${refreshed}` }).waitFor();
  await eventually(async () => expect(await shown()).toEqual([month.id]));
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
