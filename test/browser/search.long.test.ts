import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;
const id = 'C-search-1';
const name = 'Demo Searched';
const said = `Renewal of ${canary()}`;
const word = said.split(' ')[2] as string;
const old = uuidv7();

beforeAll(async () => {
  desk = await shareDesk();
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name, phones: ['+447700900881'] });
  await staff.post(`/ops/customers/${id}/renewals`, {
    service_type: 'INSURANCE_POLICY',
    due_date: '2040-01-31',
    policy_id: `SEARCH-${word}`,
  });
  await staff.post('/ops/tasks', { customer_id: id, title: `Look into ${word}` });
  const log = desk.system.database('comms')('communications');
  const record = { customer_id: id, type: 'EMAIL', direction: 'INBOUND', unread: false, status: 'RECEIVED' };
  const day = 24 * 60 * 60_000;
  const at = (days: number) => new Date(Date.now() - days * day);
  await log.insert({ ...record, id: old, body: said, occurred_at: at(365), created_at: at(365) });
  const since = Array.from({ length: 450 }, (_, n) => ({
    ...record,
    id: uuidv7(),
    body: `Something else ${n}`,
    occurred_at: at(364 - n / 2),
    created_at: at(364 - n / 2),
  }));
  await desk.system.database('comms')('communications').insert(since);
});
afterAll(() => desk?.stop());

const hit = (page: Page, words: RegExp) => page.getByRole('option', { name: words });

/** Until all has been found: what comes meanwhile moves the rest. */
async function type(page: Page, typed = word.toUpperCase()): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(typed);
  await page
    .getByRole('listbox', { name: 'Found', exact: true })
    .and(page.locator('[aria-busy="false"]'))
    .filter({ has: hit(page, /All that is found/) })
    .waitFor();
}

test('a word of a year ago, typed anywhere, opens the log at the message that has it', async () => {
  const page = await desk.open('/tasks');
  await type(page);
  await hit(page, new RegExp(`${name}.*${word}`, 's'))
    .filter({ has: page.locator('mark') })
    .click();
  const message = page.locator(`[data-record="${old}"]`);
  await message.waitFor();
  await page.locator(`[data-record="${old}"]:focus`).waitFor();
  const box = await message.boundingBox();
  expect(box && box.y > 0 && box.y < (page.viewportSize()?.height ?? 0)).toBe(true);
  expect(desk.failures()).toEqual([]);
});

test('a policy by its number and a task by its title lead to them; and one page has all of it', async () => {
  const page = await desk.open('/customers');
  await type(page);
  await hit(page, /^Insurance policy SEARCH-/).click();
  await page.getByRole('complementary').getByText('31 Jan 2040').first().waitFor();
  await type(page);
  await hit(page, /^Look into/).click();
  await page.getByRole('complementary', { name: /^Task: Look into/ }).waitFor();
  await type(page);
  await hit(page, /^All that is found/).click();
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
  const part = (title: string) => page.getByRole('region', { name: title });
  await part('Messages, notes and calls').locator('mark').first().waitFor();
  await part('Tasks')
    .getByRole('link', { name: /^Look into/ })
    .waitFor();
  await part('Renewals')
    .getByRole('link', { name: /SEARCH-/ })
    .click();
  await page.getByRole('complementary').getByText('31 Jan 2040').first().waitFor();
  expect(desk.failures()).toEqual([]);
});

test('what somebody wrote whom nobody knows is found by their number and by its words, and opens there', async () => {
  const phone = '+447700900882';
  const words = `Whoever reads ${canary()}`;
  await desk.system.simulator.person({ phone, name: 'Demo Nobody' });
  await desk.system.simulator.write(phone, { channel: 'SMS', text: words });
  await desk.system.simulator.write(phone, { channel: 'SMS', text: 'Hello?' });
  const page = await desk.open('/unmatched');
  const card = page.getByRole('article').filter({ hasText: words });
  await card.waitFor();
  const open = async (typed: string, found: RegExp) => {
    await page.goto(`${desk.system.gatewayUrl}/tasks`);
    await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
    await type(page, typed);
    await hit(page, found).click();
    await page.waitForURL(/unmatched\?message=/);
  };
  await open(words.split(' ').at(-1) as string, /not known yet.*Whoever reads/s);
  await card.waitFor();
  expect(await page.getByRole('article').count()).toBe(1);
  await open('07700 900882', /\+447700900882.*not known yet/s);
  await page.getByRole('button', { name: 'All that wait' }).click();
  await page.getByRole('textbox', { name: 'Search senders' }).fill('900882');
  await page.waitForURL(/q=/);
  await card.waitFor();
  await page.getByRole('textbox', { name: 'Search senders' }).fill('no such sender');
  await page.getByText('No sender of these fits “no such sender”.').waitFor();
  await page.close();
  expect(desk.failures()).toEqual([]);
});

test('a page that no line of the rail leads to opens by a word of its name', async () => {
  const page = await desk.open('/tasks');
  await page.keyboard.press('/');
  await page.keyboard.type('uncertain');
  await hit(page, /^Failed and uncertain messages/).click();
  await page.waitForURL(/not-sent$/);
  await page.keyboard.press('/');
  await page.keyboard.type('alert p');
  await hit(page, /^Alert plan.*Settings/).click();
  await page.waitForURL(/settings\/alert-plan$/);
  expect(desk.failures()).toEqual([]);
});
