import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Customer } from '@ops/contracts/resources/customer';
import type { Task } from '@ops/contracts/resources/task';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { eventually } from '@ops/test-kit/eventually';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';

let desk: Desk;
let staff: ApiClient;
const leaving = 'demo-leaving';

beforeAll(async () => {
  desk = await startDesk();
  staff = await desk.system.client('staff');
  await staff.put(`/ops/agents/${leaving}`, { name: 'Demo Leaving' });
  await staff.put('/ops/agents/demo-other', { name: 'Demo Other' });
  for (const n of [1, 2])
    await staff.put(`/ops/customers/C-bulk-${n}`, { name: `Demo Bulk ${n}`, assigned_agent: null });
});
afterAll(() => desk?.stop());

const create = async (title: string, more: object = {}) =>
  (await staff.post('/ops/tasks', { customer_id: 'C-bulk-1', title, ...more })).body as Task;
const task = async (id: string) => (await staff.get(`/ops/tasks/${id}`)).body as Task;
const customer = async (id: string) => (await staff.get(`/ops/customers/${id}`)).body as Customer;
const inHand = (page: Page, name: string) => page.getByRole('link', { name }).and(page.locator(':focus')).waitFor();
const told = (page: Page, words: RegExp) => page.getByText(words).first().waitFor();

test('tasks are selected by keyboard and given away at once, and given a day; taken back, each goes to whom it was', async () => {
  const [one, other] = [
    await create('Bulk one', { priority: 'URGENT' }),
    await create('Bulk two', { priority: 'HIGH' }),
  ];
  const page = await desk.open('/tasks?view=all');
  await page.getByRole('link', { name: 'Bulk one' }).waitFor();
  await page.keyboard.press('j');
  await inHand(page, 'Bulk one');
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await inHand(page, 'Bulk two');
  await page.keyboard.press('a');
  const bar = page.getByRole('region', { name: 'Selected tasks' });
  await bar.getByText('2 selected').waitFor();
  await bar.getByRole('combobox', { name: 'Give to' }).selectOption('demo-other');
  await told(page, /^2 given to Demo Other/);
  for (const { id } of [one, other]) expect((await task(id)).assigned_agent).toBe('demo-other');
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await eventually(async () => {
    for (const { id } of [one, other]) expect((await task(id)).assigned_agent).toBeNull();
  });
  for (const title of ['Bulk one', 'Bulk two']) await page.getByRole('checkbox', { name: `Select: ${title}` }).check();
  await bar.getByLabel('Due on').fill('2031-02-03');
  await bar.getByRole('button', { name: 'Set the date' }).click();
  await told(page, /^2 due 3 Feb 2031 now/);
  for (const { id } of [one, other]) expect((await task(id)).due_date).toBe('2031-02-03');
  expect(desk.failures()).toEqual([]);
});

test('one’s own tasks of today are apart from those of later', async () => {
  const mine = { assigned_agent: 'demo-staff', priority: 'URGENT' };
  await create('Bulk late', { ...mine, due_date: '2020-01-31' });
  await create('Bulk later', { ...mine, due_date: '2040-01-31' });
  const page = await desk.open('/tasks?view=today');
  await page.getByRole('link', { name: 'Bulk late', exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Bulk later' }).count()).toBe(0);
});

test('customers are given away at once, and all that was somebody’s is handed over in one step', async () => {
  await staff.post('/ops/customers/C-bulk-2/renewals', {
    service_type: 'WORK_PERMIT',
    due_date: '2040-01-31',
    assigned_agent: leaving,
  });
  const theirs = await create('Bulk theirs', { assigned_agent: leaving });
  const page = await desk.open('/customers?query=Demo%20Bulk');
  for (const n of [1, 2]) await page.getByRole('checkbox', { name: `Select Demo Bulk ${n}` }).check();
  const bar = page.getByRole('region', { name: 'Selected customers' });
  await bar.getByRole('combobox', { name: 'Give to' }).selectOption(leaving);
  await told(page, /^2 given to Demo Leaving/);
  const settings = await desk.open(`/settings/agents?edit=${leaving}`);
  const part = settings.getByRole('region', { name: 'Hand over' });
  await part.getByText('2 customers, 1 renewal and 1 task').waitFor();
  await part.getByRole('combobox', { name: 'To' }).selectOption('demo-other');
  await part.getByRole('button', { name: 'Hand over' }).click();
  await told(settings, /^Handed over to Demo Other: 2 customers, 1 renewal and 1 task\./);
  await part.getByText('was given nothing that is open').waitFor();
  for (const n of [1, 2]) expect((await customer(`C-bulk-${n}`)).assigned_agent).toBe('demo-other');
  expect((await task(theirs.id)).assigned_agent).toBe('demo-other');
  expect(desk.failures()).toEqual([]);
});
