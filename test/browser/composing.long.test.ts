import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { arrives } from './arriving.ts';
import { shareDeskWith, unsent } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-drafts';
const phone = '+447700900226';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Drafts', phone, email: 'drafts@example.com' });
  system = desk.system;
  // Who wrote last by the messaging app is answered there, in words of one's own.
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  const staff = await system.client('staff');
  await eventually(async () =>
    expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ unread_count: 1 }),
  );
});
afterAll(() => desk?.stop());

test('what a service in trouble could not show when it came is there once it is out of it, though nobody does anything', async () => {
  const [customer, address, name] = ['C-trouble', '+447700900266', 'Demo Trouble'];
  await (await system.client('staff')).put(`/ops/customers/${customer}`, { name, phones: [address] });
  await system.simulator.person({ name, phone: address });
  const page = await desk.open(`/customers/${customer}`);
  await page.getByText('Nothing was said yet.').waitFor();
  await page.route(/\/communications\?/, (asked) => asked.fulfill({ status: 500, json: { title: 'In trouble' } }));
  const text = canary();
  await system.simulator.write(address, { channel: 'MESSAGING_APP', text });
  await page.getByText('In trouble').waitFor();
  // How many there are was asked for with the log: by then the page was told of it, and the log refused.
  await page.getByRole('radiogroup', { name: 'Which communications' }).getByText('All 1', { exact: true }).waitFor();
  await page.unroute(/\/communications\?/);
  await arrives(system, page, text);
  await page.close();
  desk.forgive();
});

test('what somebody marks unread while it is on a screen stays so: nobody has seen anything new there', async () => {
  const [customer, address, name] = ['C-unseen', '+447700900267', 'Demo Unseen'];
  const staff = await system.client('staff');
  await staff.put(`/ops/customers/${customer}`, { name, phones: [address] });
  await system.simulator.person({ name, phone: address });
  const page = await desk.open(`/customers/${customer}`);
  const text = canary();
  await system.simulator.write(address, { channel: 'MESSAGING_APP', text });
  await arrives(system, page, text);
  const unread = async () =>
    ((await staff.get(`/ops/customers/${customer}`)).body as { unread_count: number }).unread_count;
  await eventually(async () => expect(await unread()).toBe(0));
  await page.reload();
  await arrives(system, page, text);
  await page.getByText('Live', { exact: true }).waitFor();
  const read: string[] = [];
  page.on('request', (asked) => asked.url().endsWith('/communications/read') && read.push(asked.url()));
  const from = await page.getByRole('article').filter({ hasText: text }).getAttribute('data-record');
  await staff.patch(`/ops/customers/${customer}/communications/unread`, { from });
  // The page hears of one change after the other: with the second on the screen the first is there too.
  for (const again of ['Demo Unseen Again', 'Demo Unseen Still']) {
    await staff.patch(`/ops/customers/${customer}`, { name: again });
    await page.getByRole('heading', { level: 1, name: again }).waitFor();
  }
  expect(read).toEqual([]);
  expect(await unread()).toBe(1);
  // Who comes to the log again sees it again.
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('link', { name: /^Customers/ })
    .click();
  await page.getByRole('link', { name: 'Demo Unseen Still' }).click();
  await eventually(async () => expect(await unread()).toBe(0));
  await page.close();
});

test('what is written while a message waits is kept when that one is undone, and what was sent is no draft any more', async () => {
  const page = await desk.openApart(`/customers/${id}`);
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.fill('First');
  // However long it takes to go there and back, it waits.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  expect(await field.inputValue()).toBe('');
  await page.getByText('Note', { exact: true }).click();
  await page.getByText('Messaging app', { exact: true }).last().click();
  expect(await field.inputValue()).toBe('');
  await field.fill('Second');
  await page.getByRole('button', { name: 'Undo' }).click();
  expect(await field.inputValue()).toBe('First\n\nSecond');
  await field.fill('');
  await page.close();
});

test('who loads the page anew before a message left has sent it, and is not told that it was not taken', async () => {
  const page = await desk.open(`/customers/${id}`);
  const text = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.reload();
  await page.getByRole('article').filter({ hasText: text }).getByText('Delivered').waitFor();
  await unsent(page).waitFor({ state: 'detached' });
  expect((await system.simulator.messages(phone)).filter((one) => one.text.includes(text))).toHaveLength(1);
  await page.close();
});

test('what nobody knows to be taken is not repeated once the service has forgotten its key: a person looks and decides', async () => {
  const page = await desk.openApart(`/customers/${id}`);
  const text = canary();
  let tries = 0;
  // None is let go: the answer of the first never comes.
  await page.route('**/communications', (asked) => {
    if (asked.request().method() !== 'POST') return asked.continue();
    tries++;
  });
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await unsent(page).getByText('Sending: ').waitFor();
  await page.clock.setFixedTime(Date.now() + 24 * 3_600_000);
  await page.reload();
  await unsent(page).getByText('Nobody knows whether it was taken: see whether it is above.').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Change' }).click();
  expect(await page.getByRole('textbox', { name: 'Write to the customer' }).inputValue()).toBe(text);
  expect(tries).toBe(1);
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill('');
  await page.close();
});

test('the composer opens at the kind that holds a draft, and says which others do', async () => {
  const page = await desk.open(`/customers/${id}`);
  const kind = (name: RegExp) => page.getByRole('radiogroup', { name: 'How to write' }).getByRole('radio', { name });
  const note = page.getByRole('textbox', { name: /A note for colleagues/ });
  await page.getByText('Note', { exact: true }).click();
  await note.fill('Half a note');
  await page.reload();
  await eventually(async () => expect(await note.inputValue()).toBe('Half a note'));
  expect(await kind(/Note/).isChecked()).toBe(true);
  await page.getByText('SMS', { exact: true }).click();
  await kind(/Note.*draft/).waitFor({ state: 'attached' });
  expect(await kind(/draft/).count()).toBe(1);
  await page.getByText('Note: draft').click();
  await note.fill('');
  await page.getByText('SMS', { exact: true }).click();
  expect(await kind(/draft/).count()).toBe(0);
  await page.close();
});

test('arrow keys go through the kinds without leaving them; Enter goes on to the words', async () => {
  const page = await desk.open(`/customers/${id}`);
  const chosen = page.getByRole('radiogroup', { name: 'How to write' }).locator('input:checked');
  await page.getByRole('textbox', { name: 'Write to the customer' }).focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await chosen.and(page.locator('[value="SMS"]:focus')).waitFor({ state: 'attached' });
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Write to the customer' }).and(page.locator(':focus')).waitFor();
  await page.close();
});

test('that free text is possible is no longer said when its time is over', async () => {
  const page = await desk.openApart(`/customers/${id}`);
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await page.getByText(/^Free text is possible until/).waitFor();
  await page.clock.install();
  await page.reload();
  await page.getByText(/^Free text is possible until/).waitFor();
  await page.clock.fastForward('25:00:00');
  await page.getByText(/^The customer did not write within 24 hours/).waitFor();
  await page.close();
});

test("another customer's message that was moved into the log opens no window for free text", async () => {
  const staff = await system.client('staff');
  const [to, theirs] = ['C-moved-to', '+447700900231'];
  await staff.put(`/ops/customers/${to}`, { name: 'Demo Moved', phones: [theirs] });
  const text = canary();
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text });
  const moved = await eventually(async () => {
    const { data } = (await staff.get(`/ops/customers/${id}/communications?q=${text}`)).body as {
      data: { id: string }[];
    };
    expect(data).toHaveLength(1);
    return data[0] as { id: string };
  });
  const page = await desk.open(`/customers/${to}`);
  expect((await staff.post(`/ops/communications/${moved.id}/move`, { customer_id: to })).status).toBe(200);
  await page.getByText(text).waitFor();
  await page.getByText(/^The customer did not write within 24 hours/).waitFor();
  await system.simulator.person({ name: 'Demo Moved', phone: theirs });
  await system.simulator.write(theirs, { channel: 'MESSAGING_APP', text: canary() });
  await page.getByText(/^Free text is possible until/).waitFor();
  await page.close();
});

test('that a message was not taken is heard wherever one is and after a return, and by nobody else', async () => {
  const page = await desk.openApart(`/customers/${id}`);
  const text = canary();
  const refusal = { status: 422, json: { title: 'Refused', detail: 'The words were refused' } };
  await page.route('**/communications', (asked) =>
    asked.request().method() === 'POST' ? asked.fulfill(refusal) : asked.continue(),
  );
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'Tasks', exact: true }).click();
  const told = 'Your message to Demo Drafts: not taken. The words were refused';
  await page.getByRole('alert').getByText(told).waitFor();
  const context = page.context();
  await page.close();

  const later = await context.newPage();
  await later.goto(`${system.gatewayUrl}/customers`);
  await later.getByRole('alert').getByText(told).waitFor();
  await context.clearCookies();
  await signInAgain(later, 'demo-admin');
  expect(await later.getByText(told).count()).toBe(0);
  await context.clearCookies();
  await signInAgain(later, 'demo-staff');

  await later.getByRole('alert').getByRole('link', { name: 'Demo Drafts' }).click();
  await unsent(later).getByText('Not taken: The words were refused').waitFor();
  expect(await later.getByText(told).count()).toBe(0);
  await later.getByRole('button', { name: 'Change' }).click();
  const field = later.getByRole('textbox', { name: 'Write to the customer' });
  expect(await field.inputValue()).toBe(text);
  await field.fill('');
  await later.close();
});

async function signInAgain(page: Page, person: string): Promise<void> {
  await page.reload();
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await page.locator(`[value="${person}"]`).click();
  await page.getByText('Live', { exact: true }).waitFor();
}

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
