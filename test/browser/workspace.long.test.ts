import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { longLog, shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

/** In the page. */
declare function getComputedStyle(element: unknown): Record<string, string>;

let desk: Desk;
let system: Desk['system'];
const id = 'C-reading';
const phone = '+447700900227';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Reading', phone, email: 'reading@example.com' });
  system = desk.system;
});
afterAll(() => desk?.stop());

test('what comes in below while somebody reads further up stays unread until they come to it', async () => {
  await longLog(system, 'C-up', 120, 0);
  const staff = await system.client('staff');
  const unread = async () => ((await staff.get('/ops/customers/C-up')).body as { unread_count: number }).unread_count;
  const page = await desk.open('/customers/C-up');
  await page.getByText('Word 1.', { exact: true }).waitFor();
  const log = page.getByRole('log');
  await log.hover();
  await page.mouse.wheel(0, -3_000);
  await eventually(async () => expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(-1_000));
  const text = canary();
  await staff.post('/ops/customers/C-up/communications', { type: 'SMS', direction: 'INBOUND', body: text });
  const below = page.getByRole('button', { name: '1 new message below' });
  await below.waitFor();
  expect(await unread()).toBe(1);
  await below.click();
  await below.waitFor({ state: 'detached' });
  await eventually(async () => expect(await unread()).toBe(0));
  await page.close();
});

test('a message that is linked late is seen with the rest, although others came meanwhile', async () => {
  const stranger = '+447700900224';
  const staff = await system.client('staff');
  await system.simulator.person({ name: 'Demo Late', phone: stranger });
  const text = canary();
  await system.simulator.write(stranger, { channel: 'MESSAGING_APP', text });
  const waiting = await eventually(async () => {
    const { data } = (await staff.get('/ops/unmatched')).body as { data: { id: string; body: string }[] };
    const found = data.find(({ body }) => body === text);
    expect(found).toBeDefined();
    return found as { id: string };
  });
  await longLog(system, 'C-late', 3, 1);
  expect((await staff.post(`/ops/unmatched/${waiting.id}/link`, { customer_id: 'C-late' })).status).toBe(200);
  const page = await desk.open('/customers/C-late');
  await page.getByText(text).waitFor();
  await eventually(async () =>
    expect((await staff.get('/ops/customers/C-late')).body).toMatchObject({ unread_count: 0 }),
  );
  await page.close();
});

test('nothing in the log is hidden half by the day that stays on top, wherever one scrolls', async () => {
  await longLog(system, 'C-days', 120, 0);
  const page = await desk.open('/customers/C-days');
  const log = page.getByRole('log');
  await log.getByText('Word 1.', { exact: true }).waitFor();
  const day = log.getByRole('heading').first();
  expect(await day.evaluate((heading) => getComputedStyle(heading).backgroundColor)).toMatch(/^rgb\(/);
  for (const top of [0, -301, -602, -903, -1204])
    expect(
      await log.evaluate((scroller, scrollTop) => {
        scroller.scrollTop = scrollTop;
        const { left, right, top } = scroller.getBoundingClientRect();
        const xs = [left + 2, left + 20, (left + right) / 2, right - 30];
        return xs.map((x) => scroller.ownerDocument.elementFromPoint(x, top + 5)?.tagName);
      }, top),
    ).toEqual(['H2', 'H2', 'H2', 'H2']);
  await page.close();
});

test('the timeline says by which channel a customer wrote as people say it', async () => {
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await system.simulator.write(phone, { channel: 'SMS', text: canary() });
  await system.simulator.write(phone, { channel: 'EMAIL', subject: 'Hello', text: canary() });
  const page = await desk.open(`/customers/${id}?tab=timeline`);
  for (const words of ['wrote an SMS', 'wrote an e-mail', 'wrote in the messaging app'])
    await page
      .getByRole('link', { name: `The customer ${words}` })
      .first()
      .waitFor();
  await page.close();
});

test('why a message was not sent has its days as the reader writes them', async () => {
  await longLog(system, 'C-moot', 1, 0);
  const why = { code: 'due_date_changed', message: 'The renewal is due on 2031-03-31 now' };
  await system
    .database('comms')('communications')
    .where({ customer_id: 'C-moot' })
    .update({ direction: 'OUTBOUND', status: 'CANCELLED', failure: JSON.stringify(why) });
  const page = await desk.open('/customers/C-moot');
  await page.getByText('Not sent: The renewal is due on 31 Mar 2031 now').waitFor();
  await page.close();
});

test('a message of which nobody knows says why, and what the provider said, until somebody says whether it arrived', async () => {
  await longLog(system, 'C-perhaps', 1, 0);
  const why = { code: 'uncertain', message: 'The provider may have taken it', detail: 'socket hang up' };
  await system
    .database('comms')('communications')
    .where({ customer_id: 'C-perhaps' })
    .update({ direction: 'OUTBOUND', status: 'UNCERTAIN', failure: JSON.stringify(why) });
  const page = await desk.open('/customers/C-perhaps');
  const message = page.getByRole('article');
  const asked = 'Nobody knows whether this arrived. The provider may have taken it. Did the customer get it?';
  await message.getByText(asked).waitFor();
  await message.getByText('For whoever looks into it: socket hang up').waitFor();
  await message.getByRole('button', { name: 'It arrived' }).click();
  await message.getByText('Sent', { exact: true }).waitFor();
  await page.close();
});

test('a page that could not be loaded says so, and is there when it is loaded again', async () => {
  const page = await desk.openApart('/tasks');
  await page.route('**/assets/customers-page-*.js', (asked) => asked.abort());
  // Every page is fetched soon after the first is there: this one may have been, meanwhile.
  await page.reload();
  await page.getByRole('link', { name: 'Customers' }).first().click();
  await page.getByText('This page could not be shown. What you typed is kept.').waitFor();
  await page.unroute('**/assets/customers-page-*.js');
  await page.getByRole('button', { name: 'Load it again' }).click();
  await page.getByRole('textbox', { name: /customer/i }).waitFor();
  await page.close();
  desk.forgive();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
