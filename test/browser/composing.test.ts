import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { arrives } from './arriving.ts';
import { shareDeskWith, unsent } from './customer.ts';
import type { Desk } from './desk.ts';

/** In the page. */
declare function getComputedStyle(element: unknown): Record<string, string>;

let desk: Desk;
let system: Desk['system'];
const id = 'C-writing';
const phone = '+447700900225';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Writing', phone, email: 'writing@example.com' });
  system = desk.system;
});
afterAll(() => desk?.stop());

test('somebody finds a customer by keyboard alone, sees a message arrive, answers, and sees it delivered and read', async () => {
  const page = await desk.open('/customers');
  await page.keyboard.press('/');
  await page.keyboard.type('Demo Writi');
  await page.getByRole('option', { name: /Demo Writing/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Demo Writing' }).waitFor();
  const agent = page.getByRole('combobox', { name: 'Agent of Demo Writing' });
  await agent.locator('option:checked', { hasText: 'Ada Agent' }).waitFor({ state: 'attached' });
  expect(await page.title()).toMatch(/^Demo Writing · /);
  expect(await page.getByRole('status', { name: 'This page' }).textContent()).toBe('Demo Writing');

  const asked = canary();
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  await arrives(system, page, asked);

  const answer = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).focus();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Nothing is written yet.').waitFor();
  await page.keyboard.type(answer);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  const sent = page.getByRole('article').filter({ hasText: answer });
  await sent.getByText('Delivered').waitFor();
  await system.simulator.look(phone, 'MESSAGING_APP');
  await sent.getByText('Read').waitFor();
  await page.close();
});

test('a note is amber and italic, and what was typed as one never goes out as a message', async () => {
  const page = await desk.open(`/customers/${id}`);
  const note = canary();
  await page.getByText('Note', { exact: true }).click();
  await page.getByRole('textbox', { name: /A note for colleagues/ }).fill(note);
  await page.getByRole('button', { name: 'Keep note' }).click();
  const shown = page.getByRole('article').filter({ hasText: note });
  await shown.waitFor();
  const style = await shown.evaluate((element) => {
    const { backgroundColor, fontStyle, borderInlineStartWidth } = getComputedStyle(element);
    return { backgroundColor, fontStyle, borderInlineStartWidth };
  });
  expect(style).toEqual({ backgroundColor: 'rgb(255, 243, 205)', fontStyle: 'italic', borderInlineStartWidth: '4px' });
  expect((await system.simulator.messages(phone)).some(({ text }) => text.includes(note))).toBe(false);
  const customer = await system.client('customer', id);
  expect(JSON.stringify((await customer.get(`/ops/customers/${id}/communications`)).body)).not.toContain(note);
  await page.close();
});

test('a draft survives a reload, and an undone message comes back to be changed', async () => {
  const page = await desk.open(`/customers/${id}`);
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.fill('Half a thought');
  await page.reload();
  await eventually(async () => expect(await field.inputValue()).toBe('Half a thought'));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await field.inputValue()).toBe('Half a thought');
  expect((await system.simulator.messages(phone)).some(({ text }) => text === 'Half a thought')).toBe(false);
  await field.fill('');
  await page.close();
});

test('who leaves before a message left has sent it all the same, once', async () => {
  const page = await desk.open(`/customers/${id}`);
  const text = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.goto(`${system.gatewayUrl}/customers`);
  const arrived = async () => (await system.simulator.messages(phone)).filter((one) => one.text.includes(text));
  await eventually(async () => expect(await arrived()).toHaveLength(1));
  await page.goto(`${system.gatewayUrl}/customers/${id}`);
  await page.getByRole('article').filter({ hasText: text }).getByText('Delivered').waitFor();
  await unsent(page).waitFor({ state: 'detached' });
  expect(await arrived()).toHaveLength(1);
  await page.close();
});

test('who went on hears that a message was not taken, and finds it where it was written', async () => {
  const page = await desk.open(`/customers/${id}`);
  const text = canary();
  const refusal = { status: 422, json: { title: 'Refused', detail: 'The words were refused' } };
  await page.route('**/communications', (asked) =>
    asked.request().method() === 'POST' ? asked.fulfill(refusal) : asked.continue(),
  );
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'Tasks', exact: true }).click();
  const told = page.getByRole('alert');
  await told.getByText('Your message to Demo Writing: not taken. The words were refused').waitFor();
  await told.getByRole('link', { name: 'Demo Writing' }).click();
  await unsent(page).getByRole('button', { name: 'Change' }).click();
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  expect(await field.inputValue()).toBe(text);
  await field.fill('');
  await page.close();
});

test('what nobody knows to be taken stays so when a second try is refused at the door, and is sent once in the end', async () => {
  const page = await desk.open(`/customers/${id}`);
  const text = canary();
  let tries = 0;
  await page.route('**/communications', async (asked) => {
    if (asked.request().method() !== 'POST') return asked.continue();
    tries++;
    if (tries === 2) return asked.fulfill({ status: 403, json: { detail: 'Not from here' } });
    if (tries > 2) return asked.continue();
    // It is taken, and the answer is lost.
    await asked.fetch();
    return asked.abort();
  });
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const again = unsent(page).getByRole('button', { name: 'Try again' });
  await again.click();
  await eventually(async () => expect(tries).toBe(2));
  await unsent(page).getByText('Nobody knows whether it was taken').waitFor();
  expect(await page.getByRole('button', { name: 'Change' }).count()).toBe(0);
  await again.click();
  await unsent(page).waitFor({ state: 'detached' });
  await page.getByRole('article').filter({ hasText: text }).getByText('Delivered').waitFor();
  expect((await system.simulator.messages(phone)).filter((one) => one.text.includes(text))).toHaveLength(1);
  await page.close();
  // Of the answers made up here.
  desk.forgive();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
