import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { demoLetter } from '@ops/demo/demo-files';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { arrives } from './arriving.ts';
import { shareDeskWith, unsent } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-thread';
const phone = '+447700900229';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Thread', phone, email: 'thread@example.com' });
  system = desk.system;
});
afterAll(() => desk?.stop());

/** Somebody comes to it, and goes on once it is open. */
function gate() {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return { reach: reached.resolve, reached: reached.promise, open: opened.resolve, opened: opened.promise };
}

test('on a phone half of the screen is the log’s, also beside a mail being written and one that was not taken', async () => {
  const size = { width: 390, height: 844 };
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  const page = await desk.open(`/customers/${id}`);
  await page.setViewportSize(size);
  const room = async () => (await page.getByRole('log').boundingBox())?.height;
  await page.getByText('Waiting for an answer, wrote').waitFor();
  expect(await room()).toBeGreaterThanOrEqual(size.height / 2);
  const refusal = { status: 422, json: { title: 'Refused', detail: 'The words were refused' } };
  await page.route('**/communications', (asked) =>
    asked.request().method() === 'POST' ? asked.fulfill(refusal) : asked.continue(),
  );
  await page.getByRole('radiogroup', { name: 'How to write' }).getByText('E-mail').click();
  await page.getByRole('textbox', { name: 'Subject' }).fill('Your permit');
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.fill(canary());
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  await unsent(page).getByText('Not taken: The words were refused').waitFor();
  await field.focus();
  expect(await room()).toBeGreaterThanOrEqual(size.height / 2);
  await unsent(page).getByRole('button', { name: 'Change' }).click();
  await field.fill('');
  await page.close();
});

test('what is known of a customer stands beside the log where there is room, and is asked for once, until somebody hides it', async () => {
  const staff = await system.client('staff');
  const permit = { service_type: 'WORK_PERMIT', due_date: '2199-05-01' };
  await staff.post(`/ops/customers/${id}/renewals`, permit);
  await staff.post('/ops/tasks', { customer_id: id, title: 'Ask for the passport', priority: 'HIGH' });
  const file = await system.simulator.file('lease.pdf', 'application/pdf', demoLetter());
  await system.simulator.write(phone, { channel: 'EMAIL', subject: 'Lease', text: canary(), files: [file] });
  // What is still told of the mail, and that it was read, would have its files asked for again.
  await eventually(async () => {
    const { body } = await staff.get(`/ops/customers/${id}/attachments`);
    expect(body).toMatchObject({ data: [{ name: 'lease.pdf', state: 'STORED' }] });
  });
  await staff.patch(`/ops/customers/${id}/communications/read`);
  const page = await desk.open('/customers');
  await page.setViewportSize({ width: 1200, height: 800 });
  await page.getByRole('link', { name: 'Demo Thread' }).click();
  const about = page.getByRole('region', { name: 'About the customer' });
  await about.getByRole('list', { name: 'Alerts from the first to the last' }).waitFor();
  await about.getByRole('link', { name: 'Ask for the passport' }).waitFor();
  await about.getByRole('link', { name: /^lease\.pdf/ }).waitFor();
  await about.getByText(phone).waitFor();

  const asked: string[] = [];
  page.on(
    'request',
    (request) => /\/ops\/.*(renewals|tasks|attachments)/.test(request.url()) && asked.push(request.url()),
  );
  await page.setViewportSize({ width: 1199, height: 800 });
  await about.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1200, height: 800 });
  await about.getByRole('link', { name: /^lease\.pdf/ }).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Hide what is known of the customer' }).press('Enter');
  await about.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: 'Show what is known of the customer' }).press('Enter');
  await about.waitFor();
  await page.close();
});

test('a PDF opens beside the log, as the browser’s own viewer takes it, with the way to save it one click away', async () => {
  const page = await desk.open(`/customers/${id}`);
  // Also in a browser without a viewer, which would have it opened in a tab of its own.
  await page.evaluate("Object.defineProperty(navigator, 'pdfViewerEnabled', { value: true })");
  const link = page.getByRole('log').getByRole('link', { name: /^lease\.pdf/ });
  await link.click();
  const beside = page.getByRole('complementary', { name: 'lease.pdf' });
  const shown = await beside.locator('iframe').getAttribute('src');
  // Asked beside the page: in its frame the browser's viewer puts headers of its own in place of these.
  const headers = (await page.request.get(new URL(shown ?? '', page.url()).href)).headers();
  expect(headers['content-type']).toBe('application/pdf');
  expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'self'");
  expect(headers['x-frame-options']).toBe('SAMEORIGIN');
  await page.keyboard.press('Escape');
  await beside.waitFor({ state: 'detached' });
  await link.and(page.locator(':focus')).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('log').getByRole('link', { name: 'Download lease.pdf' }).click();
  expect((await saved).suggestedFilename()).toBe('lease.pdf');
  await page.close();
});

test.each([
  ['after the page began to listen', 'C-at-once-1', '+447700900264'],
  ['before the page begins to listen', 'C-at-once-2', '+447700900265'],
])('what comes while the log is fetched for the first time is in it: %s', async (when, customer, address) => {
  const name = `Demo ${customer}`;
  const staff = await system.client('staff');
  await staff.put(`/ops/customers/${customer}`, { name, phones: [address] });
  await system.simulator.person({ name, phone: address });
  const page = await desk.open('/customers');
  const [log, stream] = [gate(), gate()];
  await page.route(/\/communications\?/, async (asked) => {
    const answer = await asked.fetch();
    log.reach();
    await log.opened;
    await asked.fulfill({ response: answer });
  });
  await page.route('**/ops/stream', async (asked) => {
    await stream.opened;
    await asked.continue();
  });
  if (when.startsWith('after')) stream.open();
  await page.goto(`${system.gatewayUrl}/customers/${customer}`);
  await Promise.all([page.getByRole('heading', { name }).waitFor(), log.reached]);
  if (when.startsWith('after')) await page.getByText('Live', { exact: true }).waitFor();
  const text = canary();
  await system.simulator.write(address, { channel: 'MESSAGING_APP', text });
  await eventually(async () => {
    expect((await staff.get(`/ops/customers/${customer}`)).body).toMatchObject({ unread_count: 1 });
  });
  stream.open();
  // By then the page has heard of it, and the answer from before is still to come.
  await page.getByText('Waiting for an answer, wrote').waitFor();
  log.open();
  await arrives(system, page, text);
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
