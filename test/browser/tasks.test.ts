import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { type Desk, shareDesk } from './desk.ts';
import { rowOf, taskSteps, undo } from './task-steps.ts';

let desk: Desk;
const id = 'C-tasks';
const { given, read, about } = taskSteps(() => desk, id);

beforeAll(async () => {
  desk = await shareDesk();
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Tasks', phones: ['+447700900337'] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
});
afterAll(() => desk?.stop());

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

test('who did a task is asked in place whether its renewal is done too, answers by keyboard, and can undo it', async () => {
  const statusOf = await about('P-asked');
  const page = await desk.open('/tasks');
  const complete = rowOf(page, 'See to P-asked').getByRole('button', { name: /Complete/ });
  const question = page.getByRole('region', { name: /^Is the renewal done too\?/ });
  await complete.press('Enter');
  await question.getByText('Insurance policy of Demo Tasks, due 1 May 2190').waitFor();
  await undo(page, 'Done: See to P-asked');
  await question.waitFor({ state: 'detached' });
  expect(await statusOf()).toBe('UPCOMING');

  await complete.press('Enter');
  await question.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await page.getByText('Done', { exact: true }).click();
  await rowOf(page, 'See to P-asked')
    .getByRole('button', { name: /Open again/ })
    .click();
  await page.getByText('Open', { exact: true }).click();

  await complete.press('Enter');
  await question.and(page.locator(':focus')).waitFor();
  await question.getByRole('button', { name: 'Complete' }).press('Enter');
  await page.getByText(/^Completed\./).waitFor();
  await question.waitFor({ state: 'detached' });
  expect(await statusOf()).toBe('COMPLETED');
  await undo(page, 'Completed.');
  await page.getByText('Reopened.').waitFor();
  expect(await statusOf()).toBe('UPCOMING');
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
