import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';
import { rowOf } from './task-steps.ts';

/** In the page. */
declare function getComputedStyle(element: unknown): Record<string, string>;

let desk: Desk;
let system: Desk['system'];
const id = 'C-mentioning';
const phone = '+447700900263';
const email = 'mentioning@example.com';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Mentioning', phone, email });
  system = desk.system;
  await (await system.client('staff')).put('/ops/agents/demo-admin', { name: 'Demo Admin' });
});
afterAll(() => desk?.stop());

test('a colleague mentioned in a note by keyboard sees the task come, and is led from it to the note', async () => {
  const there = await desk.open('/tasks', 'demo-admin');
  const here = await desk.open(`/customers/${id}`);
  const words = canary();
  await here.getByText('Note', { exact: true }).click();
  const field = here.getByRole('textbox', { name: /A note for colleagues/ });
  await field.fill(`Is ${words} right?`);
  await field.press('Home');
  await here.keyboard.type('@');
  const colleagues = here.getByRole('dialog', { name: 'Colleagues' });
  await colleagues.getByRole('button', { name: 'Ada Agent' }).waitFor();
  await here.keyboard.type('demo ad');
  await here.keyboard.press('Enter');
  await field.and(here.locator(':focus')).waitFor();
  // One goes on where the name stands, not at the end of the words.
  await here.keyboard.type('look: ');
  expect(await field.inputValue()).toBe(`@Demo Admin look: Is ${words} right?`);
  await here.getByText('Tells Demo Admin by a task.').waitFor();
  await here.keyboard.press('Control+Enter');
  const kept = here.getByRole('article').filter({ hasText: words });
  await kept.getByText('@Demo Admin', { exact: true }).and(here.locator('mark')).waitFor();

  await rowOf(there, 'Demo Staff mentioned Demo Admin in a note')
    .getByRole('link', { name: 'Note', exact: true })
    .click();
  const note = there.getByRole('article').filter({ hasText: words });
  await note.and(there.locator(':focus')).waitFor();
  const staff = await system.client('staff');
  const { body } = await staff.get(`/ops/tasks?customer_id=${id}`);
  expect((body as { data: unknown[] }).data).toHaveLength(1);
  await Promise.all([here.close(), there.close()]);
});

test('an e-mail leaves with the signature one sees below it, or without; the log has what left, and folds it', async () => {
  const signature = 'Demo Admin\nThe Firm of Permits';
  const page = await desk.open('/settings/replies', 'demo-admin');
  const saved = page.getByText('Your signature and replies are saved.');
  await page.getByLabel('E-mail signature').fill(signature);
  const mine = page.getByRole('region', { name: 'My signature and replies' });
  await mine.getByRole('button', { name: 'Save' }).click();
  await saved.waitFor();
  await page.goto(`${system.gatewayUrl}/customers/${id}`);
  await page.getByText('E-mail', { exact: true }).last().click();
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  const below = page.getByRole('group', { name: 'Signature' });
  const received = async () => (await system.simulator.messages(phone)).map(({ text }) => text.trim());
  const [with_, without] = [`${canary()}\nsaid below`, canary()];
  await below.getByText('The Firm of Permits').waitFor();
  await field.fill(with_);
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  // Taken back and sent again, it is signed once.
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await field.inputValue()).toBe(with_);
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  const sent = page.getByRole('article').filter({ hasText: 'said below' });
  await sent.getByRole('button', { name: 'Show the signature' }).click();
  await sent.getByText('The Firm of Permits').waitFor();
  const look = await sent.getByText('said below').evaluate((words) => {
    const { whiteSpace, backgroundColor } = getComputedStyle(words);
    return { whiteSpace, backgroundColor };
  });
  expect(look).toEqual({ whiteSpace: 'pre-wrap', backgroundColor: 'rgba(0, 0, 0, 0)' });
  const text = `${with_}\n\n-- \n${signature}`;
  await eventually(async () => expect(await received()).toContain(text));
  const staff = await system.client('staff');
  const { body } = await staff.get(`/ops/customers/${id}/communications?q=${with_.split('\n')[0]}`);
  expect(body).toMatchObject({ data: [{ body: text }] });

  await field.fill(without);
  await below.getByRole('button', { name: 'Leave it out' }).click();
  await page.getByText('Leaves without your signature.').waitFor();
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  await eventually(async () => expect(await received()).toContain(without));
  // For that one alone.
  await below.waitFor();
  await page.getByText('SMS', { exact: true }).last().click();
  await below.waitFor({ state: 'detached' });
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
