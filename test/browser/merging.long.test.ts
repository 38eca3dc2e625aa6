import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, shareDesk, stays } from './desk.ts';

let desk: Desk;
let staff: Awaited<ReturnType<Desk['system']['client']>>;
const first = { id: 'C-twice-7', name: 'Tara Twice' };
const second = { id: 'C-twice-12', name: 'Tara Twice-Example' };
const shared = '+447700900611';

beforeAll(async () => {
  desk = await shareDesk();
  staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${first.id}`, { name: first.name, phones: ['+447700900612', shared] });
  await staff.put(`/ops/customers/${second.id}`, { name: second.name, phones: [shared], locale: 'de-CH' });
  await desk.system.simulator.person({ phone: shared });
});
afterAll(() => desk?.stop());

const write = (text: string) => desk.system.simulator.write(shared, { channel: 'SMS', text });
const composer = (page: Page) => page.getByRole('textbox', { name: 'Write to the customer' });
const cardOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });
const compared = (page: Page, what: string) => page.getByRole('row', { name: new RegExp(`^${what}`) });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('two who share a number are found, compared and merged by keyboard, a colleague is led along, and undone both are back', async () => {
  const [before, since, draft] = [canary(), canary(), canary()];
  await write(before);
  const unmatched = await desk.open('/unmatched');
  await cardOf(unmatched, before).getByRole('link', { name: 'Compare with' }).waitFor();
  const other = await desk.open(`/customers/${second.id}`, 'demo-admin');
  await composer(other).fill(draft);

  const page = await desk.open(`/customers/${first.id}`);
  await page.getByText(`May be the same as ${second.name}, ${second.id}: same number ${shared}`).waitFor();
  await page.getByRole('link', { name: 'Compare' }).press('Enter');
  await compared(page, 'Language').getByText('fills the gap').waitFor();
  expect(await compared(page, 'Phones').getByText('both have it').count()).toBe(2);
  await page.getByText(`All of ${second.id} goes to ${first.id}: `).waitFor();
  await button(page, `Let ${second.id} stay instead`).press('Enter');
  await button(page, `Merge ${first.id} into ${second.id}`).waitFor();
  await button(page, `Let ${first.id} stay instead`).press('Enter');
  await button(page, `Merge ${second.id} into ${first.id}`).press('Enter');

  await page.getByRole('heading', { name: first.name, exact: true }).waitFor();
  await stays(page, `${second.id} was merged into ${first.name}.`);
  await page.getByText(`${first.id}, also ${second.id}`).waitFor();
  await cardOf(page, before).waitFor();
  await cardOf(unmatched, before).waitFor({ state: 'detached' });
  await write(since);
  await cardOf(page, since).waitFor();

  await other.waitForURL(`**/customers/${first.id}`);
  await composer(other).and(other.locator(':focus')).waitFor();
  expect(await composer(other).inputValue()).toBe(draft);
  await composer(other).fill('');

  await page.keyboard.press('u');
  await page.getByText(`${second.name}, ${second.id}, is a customer of their own again.`).waitFor();
  await cardOf(page, before).waitFor({ state: 'detached' });
  await cardOf(page, since).waitFor();
  await cardOf(unmatched, before).getByText('More than one customer has this number.').waitFor();
  await other.goto(`${desk.system.gatewayUrl}/customers/${second.id}`);
  await other.getByRole('heading', { name: second.name }).waitFor();
  await Promise.all([page.close(), other.close(), unmatched.close()]);
});

test('an old address leads to who stays; there it says the other ids, and taking one apart is refused in words or done', async () => {
  const [one, two, three] = ['C-chain-1', 'C-chain-2', 'C-chain-3'];
  for (const id of [one, two, three]) await staff.put(`/ops/customers/${id}`, { name: `Demo ${id}` });
  await staff.post(`/ops/customers/${one}/merge`, { into: two });
  await staff.post(`/ops/customers/${two}/merge`, { into: three });
  const page = await desk.open(`/customers/${one}?tab=details`);
  await page.waitForURL(`**/customers/${three}?tab=details`);
  await page.getByText(`${one} is Demo ${three}, ${three}.`).waitFor();
  await button(page, `Take apart: ${one}`).press('Enter');
  await button(page, `Take ${one} apart`).press('Enter');
  await page.getByText(`Not taken apart. ${two} was merged into ${three} since; take that back first`).waitFor();
  await button(page, 'Leave it').press('Enter');
  await button(page, `Take apart: ${two}`).press('Enter');
  await button(page, `Take ${two} apart`).press('Enter');
  await page.getByText(`Demo ${two}, ${two}, is a customer of their own again.`).waitFor();
  await button(page, `Take apart: ${two}`).waitFor({ state: 'detached' });
  const history = page.getByRole('region', { name: 'Who changed what' });
  await history
    .getByText(`took ${two}, ${one} apart`)
    .or(history.getByText(`took ${one}, ${two} apart`))
    .waitFor();

  await page.getByRole('link', { name: 'Merge with another customer…' }).press('Enter');
  await page
    .getByRole('combobox', { name: `Who Demo ${three} may be as well` })
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.type(two);
  await page.getByRole('option', { name: `Demo ${two}` }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('table', { name: 'Both customers' }).waitFor();
  await page.getByRole('button', { name: /^Merge / }).waitFor();
  await page.close();
});

test('what both were watched for is watched twice afterwards, says so, and one of them is cancelled as a duplicate', async () => {
  const [stays, goes] = ['C-watched-1', 'C-watched-2'];
  const due_date = addDays(new Date().toISOString().slice(0, 10), 170);
  for (const id of [stays, goes]) {
    await staff.put(`/ops/customers/${id}`, { name: `Demo ${id}` });
    const policy_id = id === stays ? { policy_id: 'P-watched' } : {};
    await staff.post(`/ops/customers/${id}/renewals`, { service_type: 'WORK_PERMIT', due_date, ...policy_id });
  }
  await staff.post(`/ops/customers/${goes}/merge`, { into: stays });
  const page = await desk.open(`/customers/${stays}?tab=renewals`);
  const twice = page.getByRole('cell', { name: 'Upcoming, watched twice' });
  await eventually(async () => expect(await twice.count()).toBe(2));
  await page.getByRole('row').filter({ hasNotText: 'P-watched' }).getByRole('link').press('Enter');
  const drawer = page.getByRole('complementary', { name: 'The renewal in focus' });
  await drawer.getByText('The same is watched twice: Work permit P-watched due').waitFor();
  await drawer.getByRole('button', { name: 'Cancel this one as a duplicate…' }).press('Enter');
  const why = drawer.getByLabel('Why it is not to be renewed');
  await why.and(page.locator(':focus')).waitFor();
  expect(await why.inputValue()).toBe('duplicate');
  await drawer.getByRole('button', { name: 'Cancel the renewal' }).press('Enter');
  await page.getByRole('cell', { name: 'Cancelled', exact: true }).waitFor();
  await twice.first().waitFor({ state: 'detached' });
  await staff.post(`/ops/customers/${goes}/unmerge`);
  await page.getByRole('cell', { name: 'Cancelled', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'P-watched' }).waitFor();
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
