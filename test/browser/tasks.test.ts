import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Page } from 'playwright-core';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;
const id = 'C-tasks';

beforeAll(async () => {
  desk = await shareDesk();
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Tasks', phones: ['+447700900337'] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
}, 120_000);
afterAll(() => desk?.stop());

const rowOf = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title });

/** Made over the API by whoever signs in as `demo-staff`, for whom it is. */
async function given(title: string, more: object = {}) {
  const staff = await desk.system.client('staff');
  const task = { customer_id: id, title, assigned_agent: 'demo-staff', ...more };
  return (await staff.post('/ops/tasks', task)).body as { id: string };
}

const read = async (taskId: string) => {
  const staff = await desk.system.client('staff');
  const { data } = (await staff.get('/ops/tasks')).body as { data: Record<string, unknown>[] };
  return data.find((one) => one.id === taskId);
};

test('a task is made, given away, done, and each taken back: a second person sees it all by itself', async () => {
  const [mine, all] = [await desk.open('/tasks'), await desk.open('/tasks?view=all', 'demo-admin')];
  await mine.getByRole('link', { name: 'New task' }).click();
  await mine.getByRole('combobox', { name: 'Customer', exact: true }).fill('Demo Ta');
  await mine.getByRole('option', { name: /Demo Tasks/ }).click();
  await mine.getByLabel('What is to be done').fill('Ask for the photo');
  await mine.getByLabel('Priority').selectOption('HIGH');
  await mine.getByLabel('Due').fill('2199-01-01');
  await mine.getByRole('button', { name: 'Create task' }).click();
  const [here, there] = [rowOf(mine, 'Ask for the photo'), rowOf(all, 'Ask for the photo')];
  await here.getByText('HIGH').waitFor();
  await there.getByRole('link', { name: 'Demo Tasks' }).waitFor();

  await here.getByLabel(/Agent of/).selectOption('demo-admin');
  await here.waitFor({ state: 'detached' });
  const holder = () => there.getByLabel(/Agent of/).inputValue();
  await eventually(async () => expect(await holder()).toBe('demo-admin'));
  await undo(mine, 'Given to Demo Admin');
  await here.waitFor();
  await eventually(async () => expect(await holder()).toBe('demo-staff'));

  await there.getByRole('button', { name: /Complete/ }).click();
  await Promise.all([here.waitFor({ state: 'detached' }), there.waitFor({ state: 'detached' })]);
  await undo(all, 'Done: Ask for the photo');
  await Promise.all([here.waitFor(), there.waitFor()]);
  await Promise.all([mine.close(), all.close()]);
});

const undo = (page: Page, words: string) =>
  page.getByRole('status').locator('div', { hasText: words }).getByRole('button', { name: 'Undo' }).click();

test('what is typed survives a reload, and never goes over what somebody else changed unseen', async () => {
  const { id: taskId } = await given('Look at the papers');
  const page = await desk.open('/tasks');
  await page.getByRole('link', { name: 'Look at the papers' }).click();
  await page.getByLabel('Notes').fill('The second one is torn');
  const staff = await desk.system.client('staff');
  await staff.patch(`/ops/tasks/${taskId}`, { priority: 'URGENT' });
  await rowOf(page, 'Look at the papers').getByText('URGENT').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/This task was changed since you began/).waitFor();
  expect(await page.getByLabel('Notes').inputValue()).toBe('The second one is torn');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Look at the papers').waitFor();
  expect(await read(taskId)).toMatchObject({ notes: 'The second one is torn', priority: 'URGENT' });
  await page.keyboard.press('Escape');
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  await page.close();
});

test('one’s own change stands in nobody’s way, and undoing one goes over nothing that somebody else did', async () => {
  const { id: taskId } = await given('Mind the versions');
  const page = await desk.open(`/tasks?view=all&task=${taskId}`);
  await page.getByLabel('Notes').fill('Typed first');
  await page.getByLabel('Agent', { exact: true }).selectOption('demo-admin');
  await page.getByText('Given to Demo Admin: Mind the versions').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Mind the versions').waitFor();

  const staff = await desk.system.client('staff');
  await page.getByLabel('Agent', { exact: true }).selectOption('');
  await page.getByText('Nobody has it now: Mind the versions').waitFor();
  await staff.patch(`/ops/tasks/${taskId}`, { status: 'DONE' });
  await undo(page, 'Nobody has it now');
  await page.getByText(/^Somebody else changed this task meanwhile/).waitFor();
  expect(await read(taskId)).toMatchObject({ assigned_agent: null, notes: 'Typed first', status: 'DONE' });
  await page.getByText('Somebody did it.').waitFor();
  await page.close();
});

test('the workspace of a customer counts the open tasks, makes another, and says why one is closed', async () => {
  await Promise.all([given('One for the tab'), given('Two for the tab')]);
  const page = await desk.open(`/customers/${id}?tab=tasks`);
  const count = async () => Number(await page.getByLabel(/^\d+ open$/).textContent());
  await rowOf(page, 'Two for the tab').waitFor();
  const before = await count();
  await page.getByRole('link', { name: 'New task' }).click();
  await page.getByLabel('What is to be done').fill('Made where the customer is');
  await page.keyboard.press('Enter');
  await rowOf(page, 'Made where the customer is').waitFor();
  expect(await count()).toBe(before + 1);

  await rowOf(page, 'Two for the tab')
    .getByRole('button', { name: /Complete/ })
    .click();
  await rowOf(page, 'Two for the tab').waitFor({ state: 'detached' });
  expect(await count()).toBe(before);
  await page.getByText('Done', { exact: true }).click();
  await page.getByRole('link', { name: 'Two for the tab' }).click();
  await page.getByText('Somebody did it.').waitFor();
  await page.close();
});

test('a task refused after its form was closed is told of, and made late it closes nothing else', async () => {
  const { id: other } = await given('Open meanwhile');
  const page = await desk.open('/tasks?create=true');
  let closed = Promise.withResolvers<void>();
  let isRefused = true;
  await page.route('**/ops/tasks', async (asked) => {
    if (asked.request().method() !== 'POST') return asked.fallback();
    await closed.promise;
    await (isRefused ? asked.fulfill({ status: 409, json: { title: 'Refused for once' } }) : asked.continue());
  });
  await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('Demo Ta');
  await page.getByRole('option', { name: /Demo Tasks/ }).click();
  await page.getByLabel('What is to be done').fill('Asked for twice');
  await page.getByRole('button', { name: 'Create task' }).click();
  await page.keyboard.press('Escape');
  const form = page.getByRole('complementary', { name: 'New task' });
  await form.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByRole('status').getByText('Refused for once').waitFor();

  [closed, isRefused] = [Promise.withResolvers<void>(), false];
  await page.getByRole('link', { name: 'New task' }).click();
  await page.getByRole('button', { name: 'Create task' }).click();
  await page.getByRole('link', { name: 'Open meanwhile' }).click();
  await form.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByText('Made: Asked for twice').waitFor();
  await page.getByRole('complementary', { name: 'Task: Open meanwhile' }).waitFor();
  expect(new URL(page.url()).searchParams.get('task')).toBe(other);
  await page.close();
});

test('the names of all customers in a list are asked for at once', async () => {
  const staff = await desk.system.client('staff');
  for (const n of [1, 2, 3]) {
    await staff.put(`/ops/customers/C-named-${n}`, { name: `Demo Named ${n}` });
    await given(`Of named ${n}`, { customer_id: `C-named-${n}` });
  }
  const page = await desk.open('/customers');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(decodeURIComponent(request.url())));
  await page.getByRole('link', { name: 'Tasks', exact: true }).click();
  for (const n of [1, 2, 3])
    await rowOf(page, `Of named ${n}`)
      .getByRole('link', { name: `Demo Named ${n}` })
      .waitFor();
  const named = asked.filter((url) => url.includes('C-named-'));
  expect(named[0]).toMatch(/C-named-1.*C-named-2.*C-named-3|C-named-3.*C-named-2.*C-named-1/);
  expect(named.filter((url) => url.includes('/ops/customers/'))).toEqual([]);
  await page.close();
});

test('nobody’s tasks stand in a list of their own, from which one takes them', async () => {
  await given('Whose is this?', { assigned_agent: null });
  const page = await desk.open('/tasks?view=unassigned');
  const row = rowOf(page, 'Whose is this?');
  await row.getByLabel(/Agent of/).selectOption('demo-staff');
  await row.waitFor({ state: 'detached' });
  await page.getByText('Mine', { exact: true }).click();
  await row.waitFor();
  await page.close();
});

test('what is typed right after the key that opens the search is searched for, and the way back is where one was', async () => {
  const page = await desk.open('/tasks');
  const link = page.getByRole('link', { name: 'New task' });
  await link.focus();
  await page.keyboard.type('/Demo Tas');
  expect(await page.getByRole('combobox', { name: 'Search customers and pages' }).inputValue()).toBe('Demo Tas');
  await page.getByRole('option', { name: /Demo Tasks/ }).waitFor();
  await page.keyboard.press('Escape');
  await eventually(async () => expect(await link.evaluate((element) => element.matches(':focus'))).toBe(true));
  await page.close();
});

test('Enter goes to what was typed and not to what was found before it, and a search that failed says so', async () => {
  await (await desk.system.client('staff')).put('/ops/customers/C-second', { name: 'Second Person' });
  const page = await desk.open('/tasks');
  await page.keyboard.type('/Demo Tas');
  await page.getByRole('option', { name: /Demo Tasks/ }).waitFor();
  await page.getByRole('combobox', { name: 'Search customers and pages' }).fill('C-second');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Second Person' }).waitFor();

  await page.route(/customers\?.*query=/, (asked) => asked.fulfill({ status: 500, json: {} }));
  await page.keyboard.type('/Demo Nobody');
  await page.getByText(/^Customers could not be searched/).waitFor();
  expect(await page.getByText(/^Nothing found/).count()).toBe(0);
  await page.close();
  desk.forgive();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
