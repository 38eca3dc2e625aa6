import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { type Desk, startDesk } from './desk.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-renewals';
const dayOf = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));
const inDays = (days: number) => addDays(new Date().toISOString().slice(0, 10), days);

beforeAll(async () => {
  desk = await startDesk();
  system = desk.system;
  const staff = await system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Renewals', phones: ['+447700900333'] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
}, 120_000);
afterAll(async () => {
  await desk?.stop();
});

async function watch(days: number, service_type = 'WORK_PERMIT'): Promise<Renewal> {
  const staff = await system.client('staff');
  const made = await staff.post(`/ops/customers/${id}/renewals`, { service_type, due_date: inDays(days) });
  return made.body as Renewal;
}

test('a date is watched, and refreshed to 14 days it has a HIGH task', async () => {
  const page = await desk.open('/renewals');
  await page.getByRole('link', { name: 'Watch a date' }).click();
  await page.getByRole('combobox', { name: /Customer/ }).fill('Demo Ren');
  await page.getByRole('option', { name: /Demo Renewals/ }).click();
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

test('by keyboard alone somebody finds the most urgent one and completes it, sees the next one, and undoes it', async () => {
  const { due_date } = await watch(3);
  const page = await desk.open('/customers');
  await page.getByRole('link', { name: 'Demo Renewals' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('Renewals');
  await page.getByRole('option', { name: 'Renewals', exact: true }).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  const row = page.getByRole('row').filter({ hasText: 'Work permit' }).filter({ hasText: '3 days' });
  await row.waitFor();
  await page.keyboard.press('j');
  await row.getByRole('link', { name: 'Work permit of Demo Renewals' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('e');
  await page.getByText(`Completed. The next one is due`).waitFor();
  await row.waitFor({ state: 'detached' });
  await page.keyboard.press('u');
  await row.waitFor();
  expect(due_date).toBe(inDays(3));
  await page.close();
});

test('what is overdue is narrowed to by its bar, and the bar chosen again shows all', async () => {
  const { id: overdue } = await watch(-2, 'INSURANCE_POLICY');
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
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('demo-admin');
  await page.getByRole('button', { name: 'Overdue: nothing' }).waitFor();
  await page.close();
});

test('several are given to somebody at once, another person sees it, and undone each goes back', async () => {
  const [page, other] = [await desk.open('/renewals'), await desk.open('/renewals', 'demo-admin')];
  const boxes = page.getByRole('checkbox');
  await boxes.first().waitFor();
  const count = await boxes.count();
  for (const box of await boxes.all()) await box.check();
  await page.getByRole('combobox', { name: 'Give to' }).selectOption('demo-admin');
  await page.getByText(`${count} given to Demo Admin.`).waitFor();
  await eventually(async () => expect(await other.getByRole('cell', { name: 'Demo Admin' }).count()).toBe(count));
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => expect(await other.getByRole('cell', { name: 'Demo Admin' }).count()).toBe(0));
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
  await drawer.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled. Nobody is reminded of it any more.').waitFor();
  await drawer.getByRole('button', { name: 'Reopen' }).waitFor();
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
  await drawer.getByText('theirs, important').waitFor();
  expect(await drawer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await drawer.getByRole('button', { name: 'Keep mine' }).click();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const stored = await (await system.client('staff')).get(`/ops/renewals/${one.id}`);
  expect(stored.body).toMatchObject({ notes: 'mine' });
  await page.close();
});

test('what one typed of a new date is there again after Escape and after a reload, for nobody else, and until it is made', async () => {
  const page = await desk.open('/renewals?create=true');
  const drawer = page.getByRole('complementary', { name: 'A date to be watched' });
  const customer = drawer.getByRole('combobox', { name: /Customer/ });
  const [due, notes] = [drawer.getByLabel('Due date'), drawer.getByLabel('Notes')];
  await customer.fill('Demo Ren');
  await page.getByRole('option', { name: /Demo Renewals/ }).click();
  await drawer.getByRole('combobox', { name: 'Service', exact: true }).selectOption('INSURANCE_POLICY');
  await due.fill(inDays(300));
  await notes.fill('ask for the policy');
  await notes.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: 'Watch a date' }).click();
  await eventually(async () => expect(await customer.inputValue()).toBe('Demo Renewals'));
  expect([await due.inputValue(), await notes.inputValue()]).toEqual([inDays(300), 'ask for the policy']);

  // The next person at the same browser.
  const colleague = await page.context().newPage();
  await colleague.route('**/ops/me', async (asked) => {
    const answer = await asked.fetch();
    await asked.fulfill({ response: answer, json: { ...(await answer.json()), sub: 'demo-admin' } });
  });
  await colleague.goto(`${system.gatewayUrl}/renewals?create=true`);
  await colleague.getByRole('button', { name: 'Watch it' }).waitFor();
  expect(await colleague.getByLabel('Notes').inputValue()).toBe('');
  await colleague.close();

  await drawer.getByRole('button', { name: 'Watch it' }).click();
  await page.getByRole('heading', { name: 'Insurance policy' }).waitFor();
  await page.getByText('ask for the policy').waitFor();
  await page.getByRole('link', { name: 'Watch a date' }).click();
  expect([await due.inputValue(), await notes.inputValue(), await customer.inputValue()]).toEqual(['', '', '']);
  await page.close();
});

test('what becomes of a new date whose form was closed is told, leads nobody away, and tried again makes it once', async () => {
  const page = await desk.open('/renewals?create=true');
  const drawer = page.getByRole('complementary', { name: 'A date to be watched' });
  const watchIt = drawer.getByRole('button', { name: 'Watch it' });
  const keys: (string | undefined)[] = [];
  let closed = Promise.withResolvers<void>();
  let isLost = true;
  await page.route('**/ops/customers/*/renewals', async (asked) => {
    keys.push(asked.request().headers()['idempotency-key']);
    const response = await asked.fetch();
    await closed.promise;
    await asked.fulfill(isLost ? { status: 409, json: { title: 'Lost on the way' } } : { response });
  });
  await drawer.getByRole('combobox', { name: /Customer/ }).fill('Demo Ren');
  await page.getByRole('option', { name: /Demo Renewals/ }).click();
  await drawer.getByLabel('Due date').fill(inDays(200));
  await watchIt.click();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByRole('status').getByText('Lost on the way').waitFor();

  [closed, isLost] = [Promise.withResolvers<void>(), false];
  await page.reload();
  await page.getByRole('link', { name: 'Watch a date' }).click();
  await watchIt.click();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByText('Watched from now on.').waitFor();
  expect(new URL(page.url()).searchParams.has('renewal')).toBe(false);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toBeTruthy();
  const { body } = await (await system.client('staff')).get(`/ops/customers/${id}/renewals`);
  expect((body as { data: Renewal[] }).data.filter(({ due_date }) => due_date === inDays(200))).toHaveLength(1);
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
