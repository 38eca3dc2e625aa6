import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';

let desk: Desk;
const people = [1, 2, 3, 4].map((n) => ({ id: `C-wait-${n}`, name: `Demo Waiter ${n}`, phone: `+44770090078${n}` }));
const [first, second, third, fourth] = people as [Person, Person, Person, Person];
type Person = { id: string; name: string; phone: string };
const said = new Map<string, string>();

beforeAll(async () => {
  desk = await startDesk();
  const staff = await desk.system.client('staff');
  for (const { id, name, phone } of people) {
    await staff.put(`/ops/customers/${id}`, { name, phones: [phone], assigned_agent: 'demo-staff' });
    await desk.system.simulator.person({ name, phone });
  }
});
afterAll(() => desk?.stop());

/** One after the other, so that the first waits the longest. */
async function allWrite(): Promise<void> {
  for (const { id, phone } of people) {
    said.set(id, canary());
    await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: said.get(id) as string });
    await eventually(async () => expect(await waiting()).toContain(id));
    // What a provider dates, it dates to the second.
    const { waiting_since } = await desk.system.database('comms')('attention').where({ customer_id: id }).first();
    await eventually(() => expect(Date.now()).toBeGreaterThan(waiting_since.getTime() + 1_000));
  }
}

const waiting = async () =>
  (await desk.system.database('comms')('attention').whereNotNull('waiting_since').orderBy('waiting_since')).map(
    (one) => one.customer_id,
  );

const at = (page: Page, { name }: Person) => page.getByRole('heading', { level: 1, name }).waitFor();
const row = (page: Page, { name }: Person) => page.getByRole('row').filter({ hasText: name });
const inHand = (page: Page, { name }: Person) => page.getByRole('link', { name }).and(page.locator(':focus')).waitFor();

test('by keyboard alone: one is answered, one put off, one done with, one left for later; each time the next opens', async () => {
  await allWrite();
  const page = await desk.open('/waiting');
  await row(page, fourth).waitFor();
  await page.keyboard.press('j');
  await inHand(page, first);
  await page.keyboard.press('Enter');
  await at(page, first);
  await page.getByText(said.get(first.id) as string).waitFor();
  await page.keyboard.press('r');
  const answer = canary();
  await page.keyboard.type(answer);
  await page.keyboard.press('Control+Enter');
  await at(page, second);
  await page.getByText(`Answered: ${first.name}`).waitFor();
  await page.getByText(said.get(second.id) as string).waitFor();
  await page.keyboard.press('s');
  await page.getByRole('menuitem', { name: /^Tomorrow/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await at(page, third);
  await page.getByText(`${second.name} is put off until`).waitFor();
  await page.getByText(said.get(third.id) as string).waitFor();
  await page.keyboard.press('n');
  await at(page, fourth);
  await page.getByText(said.get(fourth.id) as string).waitFor();
  await page.keyboard.press('e');
  await page.getByRole('heading', { level: 1, name: 'Waiting' }).waitFor();
  await eventually(async () => expect(await waiting()).toEqual([second.id, third.id]));
  await eventually(async () =>
    expect((await desk.system.simulator.messages(first.phone)).map(({ text }) => text)).toContain(answer),
  );
  await row(page, third).waitFor();
  expect(await row(page, second).count()).toBe(0);
  await page.getByText('Snoozed', { exact: true }).click();
  await row(page, second)
    .getByText(/^until /)
    .waitFor();
  await page.close();
});

test('in the list by keyboard: given to somebody, put off and done with, the next one in hand each time', async () => {
  await allWrite();
  const page = await desk.open('/waiting?view=all');
  await row(page, fourth).waitFor();
  // Two wait since before; who wrote again is put off no more.
  await page.keyboard.press('j');
  await inHand(page, second);
  await page.keyboard.press('j');
  await inHand(page, third);
  await page.keyboard.press('k');
  await page.keyboard.press('a');
  await page
    .getByRole('combobox', { name: `Agent of ${second.name}` })
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await page.getByText(`${second.name} is nobody’s now`).waitFor();
  await inHand(page, second);
  // The browser repeats a key that is held down.
  await page.keyboard.down('e');
  await page.keyboard.down('e');
  await page.keyboard.up('e');
  await page.getByText(`Done with ${second.name}.`).waitFor();
  await row(page, second).waitFor({ state: 'detached' });
  await inHand(page, third);
  expect(await waiting()).toContain(third.id);
  await page.getByText('Nobody’s', { exact: true }).click();
  await page.getByText('Everybody who wrote and waits has an agent.').waitFor();
  await page.close();
});

test('what is marked unread from a message on stays so when one has left', async () => {
  const page = await desk.open(`/customers/${first.id}?queue=all`);
  const bubble = page.getByRole('article').filter({ hasText: said.get(first.id) as string });
  await bubble.hover();
  await bubble.getByRole('button', { name: 'Unread from here' }).click();
  await page.getByText('Marked unread.').waitFor();
  await row(page, first).getByText('1 unread').waitFor();
  await page.close();
});

test('what is later than the firm means to answer says so in words', async () => {
  await desk.system
    .database('comms')
    .raw(`UPDATE attention SET waiting_since = now() - interval '60 days' WHERE customer_id = ?`, [first.id]);
  const page = await desk.open('/waiting?view=all&channel=MESSAGING_APP');
  await row(page, first)
    .getByText(/^late: answer by /)
    .waitFor();
  await row(page, third)
    .getByText(/answer by /)
    .waitFor();
  expect(await row(page, third).getByText(/late/).count()).toBe(0);
  await page.getByLabel('Which channel').selectOption('EMAIL');
  await page.getByText('Everybody who wrote by E-mail has their answer.').waitFor();
  await page.close();
});

test('nobody is done with by a key that is held down, nor before what they wrote was shown', async () => {
  const page = await desk.open(`/customers/${first.id}?queue=all&tab=renewals`);
  const ended: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH' && request.url().endsWith('/attention')) ended.push(request.url());
  });
  await at(page, first);
  await page.keyboard.press('e');
  await page.getByText('Look at all communications first').waitFor();
  await page.getByRole('tab', { name: 'Communications' }).click();
  await page.getByText(said.get(first.id) as string).waitFor();
  await page.keyboard.down('e');
  await at(page, third);
  await page.getByText(said.get(third.id) as string).waitFor();
  await page.keyboard.down('e');
  await page.keyboard.up('e');
  await page.keyboard.press('n');
  await at(page, fourth);
  expect(ended).toEqual([expect.stringContaining(`/${first.id}/`)]);
  expect(await waiting()).toEqual([third.id, fourth.id]);
  await page.close();
});
