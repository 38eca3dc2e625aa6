import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { Page } from 'playwright-core';
import { whileHeld } from '../chaos/midst.ts';
import { type Desk, startDesk } from './desk.ts';

let desk: Desk;
let system: Desk['system'];
let page: Page;

/** Each renewal of a refresh is a transaction of its own, so that it stops amid the others where one is held. */
const env = { REFRESH_BATCH: '1' };

beforeAll(async () => {
  desk = await startDesk(env);
  system = desk.system;
  page = await desk.signIn('demo-staff');
});
afterAll(async () => {
  await desk?.stop();
});

const ids = Array.from({ length: 120 }, (_, n) => `C-${n}`);
const customers = ['customer_id,name', ...ids.map((id) => `${id},Demo ${id}`), 'C-bad,'].join('\n');

const today = new Date().toISOString().slice(0, 10);
const inDays = [10, 5, -3, 110];
const dueDates = ids.map((_, n) => addDays(today, inDays[n % inDays.length] as number));
const renewals = [
  'customer_id,service_type,due_date,external_id,reminders,assigned_agent',
  ...ids.map((id, n) => `${id},RESIDENCE_PERMIT,${dueDates[n]},E-${id},,${n === 0 ? 'demo-staff' : ''}`),
  'C-nobody,RESIDENCE_PERMIT,2031-01-31,E-nobody,,',
  'C-1,RESIDENCE_PERMIT,31.1.2031,E-bad,maybe,',
].join('\n');

async function lookThrough(name: string, content: string): Promise<void> {
  await page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer: Buffer.from(content) });
  await page.getByRole('button', { name: 'Look through the file' }).click();
}

const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

test('customers come in from a file, but for the row that is refused, which is named', async () => {
  await page.goto(`${system.gatewayUrl}/customers`);
  await page.getByRole('link', { name: 'Import' }).click();
  await lookThrough('customers.csv', customers);
  await page.getByRole('button', { name: '1 Refused' }).waitFor();
  expect(await row('122').textContent()).toMatch(/Refused.*name.*is required/s);
  await page.getByRole('button', { name: 'Take in 120 rows' }).click();
  await page.getByText('120 rows taken in, 1 refused.').waitFor();
  await page.getByRole('button', { name: '120 Created' }).click();
  await page.getByRole('link', { name: 'C-0', exact: true }).click();
  await page.getByRole('heading', { name: 'Demo C-0' }).waitFor();
});

test('a file of renewals is previewed, also after a reload, taken in, and told of row by row', async () => {
  await page.goto(`${system.gatewayUrl}/import/renewals`);
  expect(await page.getByText('The last file sent from here').count()).toBe(0);
  await page.getByRole('radio', { name: /14 days or less/ }).check();
  await lookThrough('renewals.csv', renewals);
  await page.getByRole('button', { name: 'Take in 120 rows' }).waitFor();
  expect(await row('122').textContent()).toMatch(/Refused.*customer_id.*is no customer: C-nobody/s);
  expect(await row('123').textContent()).toMatch(/Refused.*due_date.*must be a date such as 2026-03-31/s);
  expect(await row('123').textContent()).toMatch(/reminders.*must be one of on, off/s);
  // The customers have no address: each alert is a task.
  await page.getByText('Tonight: 90 tasks, 30 compliance flags and no messages to customers.').waitFor();
  await page.getByText('tonight included: 120 tasks, 90 compliance flags and no messages to customers.').waitFor();
  await page.reload();
  await page.getByRole('button', { name: '120 To create' }).click();
  await row('external id E-C-0').getByText('A new renewal').waitFor();
  await page.getByRole('button', { name: 'Take in 120 rows' }).click();
  await page.getByText('120 rows taken in, 2 refused.').waitFor();
  await page.getByRole('button', { name: '120 Created' }).click();
  await row('external id E-C-0').getByText('Demo Staff').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /Download the rows/ }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(lines.filter((line) => line.includes(',created,'))).toHaveLength(120);
  expect(lines.filter((line) => line.includes(',refused,'))).toHaveLength(2);
});

test('the same file once more changes nothing, and says so', async () => {
  await page.getByRole('button', { name: 'Another file' }).click();
  await page.getByRole('link', { name: 'renewals.csv' }).click();
  await page.getByText('120 rows taken in, 2 refused.').waitFor();
  await page.getByRole('button', { name: 'Another file' }).click();
  await lookThrough('renewals.csv', renewals.split('\n').slice(0, -2).join('\n'));
  await page.getByText('would change nothing').waitFor();
  await page.getByRole('button', { name: '120 Unchanged' }).waitFor();
  expect(await page.getByRole('button', { name: /Take in/ }).count()).toBe(0);
});

test('a file that cannot be read is told as such, and an example of one that can is to be had', async () => {
  await page.getByRole('button', { name: 'Another file' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download an example' }).click(),
  ]);
  expect(await readFile(await download.path(), 'utf8')).toMatch(/customer_id,service_type,due_date/);
  await lookThrough('columns.csv', 'customer_id,colour\nC-1,red\n');
  await page.getByText('Column “due_date” is missing').waitFor();
  await page.getByText('Column “colour” is not known').waitFor();
  await lookThrough('quote.csv', 'customer_id,service_type,due_date\nC-1,"RESIDENCE_PERMIT,2031-01-31\n');
  await page.getByText('This import failed').waitFor();
  await page.getByText(/a quote that is opened there is never closed/).waitFor();
});

const alertNames: Record<string, string> = { 14: '14-day alert', 7: '7-day alert', OVERDUE: 'Overdue alert' };

/** As the service has it, by the names of the page. */
async function fired(): Promise<string[]> {
  const alerts = system.database('renewals')('alerts').join('renewals', 'renewals.id', 'renewal_id');
  const rows: { customer_id: string; rung: string }[] = await alerts.where({ state: 'FIRED' });
  return rows.map(({ customer_id, rung }) => `Demo ${customer_id} ${alertNames[rung]}`).sort();
}

test('what a dry run names is what the refresh then does, before the eyes of all who look on', async () => {
  const colleague = await desk.signIn('demo-admin');
  await page.goto(`${system.gatewayUrl}/renewals/dry-run`);
  await page.getByText('90 renewals would be alerted').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('Would not be alerted: 30').waitFor();
  const would = page.getByRole('region', { name: 'Would be alerted' }).locator('tbody tr');
  const foreseen = await would.evaluateAll((rows) =>
    rows.map((one) => `${one.querySelector('a')?.textContent} ${one.querySelector('[data-label=Alert]')?.textContent}`),
  );
  expect(await fired()).toEqual([]);

  // A refresh waits for whoever works on a renewal at the same time.
  await whileHeld(system, { owner: 'renewals', table: 'renewals', row: { customer_id: 'C-61' } }, async () => {
    await page.getByRole('button', { name: 'Run it now' }).click();
    const going = page.getByText(/Looked at [1-9]\d* renewals?, \d+ to go\. [1-9]\d* alerted so far\./);
    await going.waitFor();
    const bar = page.getByRole('progressbar', { name: 'Refresh of the renewals' });
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Customers' }).click();
    await page.getByRole('heading', { name: 'Customers' }).waitFor();
    await page.goBack();
    await going.waitFor();
    await page.reload();
    await going.waitFor();
    await colleague.goto(`${system.gatewayUrl}/renewals/dry-run`);
    // By name once notifier has been told who came in.
    await colleague.getByText(/Begun by (demo-staff|Demo Staff)/).waitFor();
  });

  for (const where of [page, colleague]) {
    await where.getByText('Looked at 90 renewals and alerted 90: 30 at 14 days, 30 at 7 days, 30 overdue.').waitFor();
    await where.getByText('30 became overdue.').waitFor();
  }
  await page.getByText('Nobody would be alerted', { exact: true }).waitFor();
  expect(foreseen.toSorted()).toEqual(await fired());
});

test('another day has a dry run of its own, which nobody can run', async () => {
  await page.locator('input[type=date]').fill(addDays(today, 4));
  await page.getByText('30 renewals would be alerted').waitFor();
  expect(await page.getByRole('button', { name: 'Run it now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Today' }).click();
  await page.getByText('Nobody would be alerted', { exact: true }).waitFor();
});

test('no page ran into an error or was refused a part of it', () => {
  // 422: the file whose columns are wrong.
  expect(desk.failures()).toEqual([]);
});
