import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import type { Page, Route } from 'playwright-core';
import { type Desk, shareDesk } from './desk.ts';
import { whileItIsSaved } from './hands.ts';
import { rowOf, taskSteps, undo } from './task-steps.ts';

let desk: Desk;
const id = 'C-errands';
const { given, read, about } = taskSteps(() => desk, id);

beforeAll(async () => {
  desk = await shareDesk();
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Errands', phones: ['+447700900338'] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
});
afterAll(() => desk?.stop());

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
  await page.getByText('Given to nobody now: Mind the versions').waitFor();
  await staff.patch(`/ops/tasks/${taskId}`, { status: 'DONE' });
  await undo(page, 'Given to nobody now');
  await page.getByText(/^Somebody else changed this task meanwhile/).waitFor();
  expect(await read(taskId)).toMatchObject({ assigned_agent: null, notes: 'Typed first', status: 'DONE' });
  await page.getByText('Somebody did it.').waitFor();
  await page.close();
});

test('what is typed while the rest is being saved stays, also where the form was closed and opened again', async () => {
  const { id: taskId } = await given('Typed on');
  const page = await desk.open(`/tasks?view=all&task=${taskId}`);
  const form = page.getByRole('complementary', { name: 'Task: Typed on' });
  const notes = page.getByLabel('Notes');
  await notes.fill('First');
  await whileItIsSaved(page, async () => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Typed on' }).click();
    await notes.fill('First, and more');
  });
  await page.getByText('Saved: Typed on').waitFor();
  expect(await notes.inputValue()).toBe('First, and more');
  await page.reload();
  await page.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => expect(await read(taskId)).toMatchObject({ notes: 'First, and more' }));
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
  await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('Demo Er');
  await page.getByRole('option', { name: /Demo Errands/ }).click();
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

test('what is typed right after the key that opens the search is searched for, and the way back is where one was', async () => {
  const page = await desk.open('/tasks');
  const link = page.getByRole('link', { name: 'New task' });
  await link.focus();
  await page.keyboard.type('/Demo Err');
  expect(await page.getByRole('combobox', { name: 'Search everything' }).inputValue()).toBe('Demo Err');
  await page.getByRole('option', { name: /Demo Errands/ }).waitFor();
  await page.keyboard.press('Escape');
  await eventually(async () => expect(await link.evaluate((element) => element.matches(':focus'))).toBe(true));
  await page.close();
});

test('Enter goes to what was typed and not to what was found before it, and a search that failed says so', async () => {
  await (await desk.system.client('staff')).put('/ops/customers/C-second', { name: 'Second Person' });
  const page = await desk.open('/tasks');
  await page.keyboard.type('/Demo Err');
  await page.getByRole('option', { name: /Demo Errands/ }).waitFor();
  await page.getByRole('combobox', { name: 'Search everything' }).fill('C-second');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Second Person' }).waitFor();

  await page.route(/customers\?.*query=/, (asked) => asked.fulfill({ status: 500, json: {} }));
  await page.keyboard.type('/Demo Nobody');
  await page.getByText(/^Customers could not be searched/).waitFor();
  expect(await page.getByText(/^Nothing found/).count()).toBe(0);
  await page.close();
  desk.forgive();
});

test('a day in the title of a task is written as the reader writes days', async () => {
  const { id: taskId } = await given('Permit of Demo Errands, due 2031-03-31');
  const page = await desk.open(`/tasks?task=${taskId}`);
  await rowOf(page, 'Permit of Demo Errands, due 31 Mar 2031').waitFor();
  await page.getByRole('complementary', { name: 'Task: Permit of Demo Errands, due 31 Mar 2031' }).waitFor();
  expect(await page.getByText('2031-03-31').count()).toBe(0);
  await page.close();
});

/** The first answer about one task as it is now, which the page gets only once it is let go. */
async function lateAnswer(page: Page) {
  const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async (route: Route) => {
    const response = await route.fetch();
    read.resolve();
    await release.promise;
    // A page that does not wait for it any more has taken it back.
    await route.fulfill({ response }).catch(() => {});
  };
  await page.route(/\/ops\/tasks\/[^/?]+$/, answer, { times: 1 });
  return { read: read.promise, release: release.resolve };
}

test('who did a task in its drawer is asked as well, stops for nothing, and says not yet', async () => {
  const statusOf = await about('P-not-yet');
  const page = await desk.open(`/customers/${id}?tab=tasks`);
  const late = await lateAnswer(page);
  await page.getByRole('link', { name: 'See to P-not-yet' }).click();
  await late.read;
  const drawer = page.getByRole('complementary', { name: 'Task: See to P-not-yet' });
  await drawer.getByRole('button', { name: /^Complete/ }).click();
  await drawer.waitFor({ state: 'detached' });
  late.release();
  const question = page.getByRole('region', { name: /^Is the renewal done too\?/ });
  await question.waitFor();
  await page.getByRole('link', { name: 'New task' }).click();
  await page.getByLabel('What is to be done').fill('Something else');
  await question.getByRole('button', { name: 'Not yet' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await statusOf()).toBe('UPCOMING');
  await page.close();
});

test('a task about no renewal asks nothing', async () => {
  await given('About nothing else');
  const page = await desk.open('/tasks');
  await rowOf(page, 'About nothing else')
    .getByRole('button', { name: /Complete/ })
    .click();
  await rowOf(page, 'About nothing else').waitFor({ state: 'detached' });
  expect(await page.getByText('Is the renewal done too?').count()).toBe(0);
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
