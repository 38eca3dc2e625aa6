import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { asProvider, post } from '../webhooks/as-provider.ts';
import { type Desk, shareDesk } from './desk.ts';

/** In the page. */
declare function getComputedStyle(element: unknown): Record<string, string>;

let desk: Desk;
let system: Desk['system'];
const id = 'C-browser';
const phone = '+447700900222';

beforeAll(async () => {
  desk = await shareDesk();
  system = desk.system;
  const staff = await system.client('staff');
  await staff.put('/ops/agents/demo-agent', { name: 'Ada Agent' });
  await staff.put(`/ops/customers/${id}`, {
    name: 'Demo Browser',
    phones: [phone],
    emails: ['browser@example.com'],
    assigned_agent: 'demo-agent',
  });
  await system.simulator.person({ name: 'Demo Browser', phone, email: 'browser@example.com' });
}, 120_000);
afterAll(async () => {
  await desk?.stop();
});

test('somebody finds a customer by keyboard alone, sees a message arrive, answers, and sees it delivered and read', async () => {
  const page = await desk.open('/customers');
  await page.getByRole('link', { name: 'Demo Browser' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('Demo Brow');
  await page.getByRole('option', { name: /Demo Browser/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Demo Browser' }).waitFor();
  await page.getByText('Agent Ada Agent').waitFor();
  expect(await page.title()).toMatch(/^Demo Browser · /);
  expect(await page.getByRole('status', { name: 'This page' }).textContent()).toBe('Demo Browser');

  const asked = canary();
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  await page.getByText(asked).waitFor();

  const answer = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).focus();
  await page.keyboard.type(answer);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  const sent = page.getByRole('article').filter({ hasText: answer });
  await sent.getByText('Delivered').waitFor();
  await system.simulator.look(phone, 'MESSAGING_APP');
  await sent.getByText('Read').waitFor();
  await page.close();
});

test('what one has not seen is counted for everybody, until somebody opens it', async () => {
  const [list, workspace] = [await desk.open('/customers'), await desk.open('/customers')];
  await list.getByRole('link', { name: 'Demo Browser' }).waitFor();
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await list.getByText('1 unread').waitFor();
  await workspace.getByRole('link', { name: 'Demo Browser' }).click();
  await list.getByText('1 unread').waitFor({ state: 'detached' });
  await Promise.all([list.close(), workspace.close()]);
});

test('what a customer writes on the phone is here at once, with the badge, and what one answers is on the phone', async () => {
  const page = await desk.open('/customers');
  const device = (await page.context().browser()?.newPage()) as Page;
  await device.goto(system.simulator.url);
  await device.getByRole('navigation', { name: 'People' }).getByText('Demo Browser').click();
  const handset = device.getByRole('region', { name: 'Phone' });
  const asked = canary();
  await handset.getByLabel('Message', { exact: true }).fill(asked);
  await handset.getByRole('button', { name: 'Send' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Demo Browser' });
  await row.getByText('1 unread').waitFor();
  await row.getByRole('link', { name: 'Demo Browser' }).click();
  await page.getByText(asked).waitFor();
  const answer = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(answer);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await handset.getByText(answer).waitFor();
  await page.getByRole('article').filter({ hasText: answer }).getByText('Read').waitFor();
  await Promise.all([device.close(), page.close()]);
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

test('what is written while a message waits is kept when that one is undone, and what was sent is no draft any more', async () => {
  const page = await desk.open(`/customers/${id}`);
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.fill('First');
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

/** What was sent and is in no log yet. */
const unsent = (page: Page) => page.getByRole('list', { name: 'Not in the log yet' });

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

test('who went on hears that a message was not taken, wherever they are and after a return, and nobody else does', async () => {
  const page = await desk.openApart(`/customers/${id}`);
  const text = canary();
  const refusal = { status: 422, json: { title: 'Refused', detail: 'The words were refused' } };
  await page.route('**/communications', (asked) =>
    asked.request().method() === 'POST' ? asked.fulfill(refusal) : asked.continue(),
  );
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('link', { name: 'Tasks', exact: true }).click();
  const told = 'Your message to Demo Browser: not taken. The words were refused';
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

  await later.getByRole('alert').getByRole('link', { name: 'Demo Browser' }).click();
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

test('who is offline is told so at once, about what they ask for as well, and all comes back with the connection', async () => {
  const page = await desk.openApart('/customers');
  const fetched = () => page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name).join()');
  await eventually(async () => expect(await fetched()).toContain('retention-page'));
  await page.context().setOffline(true);
  await page.getByText(/^You are offline/).waitFor();
  await page.getByRole('link', { name: 'Demo Browser' }).click();
  await page.getByText('The service could not be reached').first().waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Demo Browser' }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByText(/^You are offline/).waitFor({ state: 'detached' });

  // The stream alone is refused: nobody has to press anything to be told.
  await page.context().setOffline(true);
  await page.getByText(/^You are offline/).waitFor();
  await page.context().clearCookies();
  await page.context().setOffline(false);
  await page.getByText('Your sign-in has ended. What you typed is kept.').waitFor();
  await page.close();
  desk.forgive();
});

test('an e-mail is shown as it was sent, in a frame where nothing of it runs', async () => {
  const words = canary();
  const mail = [
    'From: Demo Browser <browser@example.com>',
    'To: desk@example.com',
    'Subject: As it was sent',
    `Message-ID: <${words}@example.com>`,
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p>Some <b>${words}</b></p><script>document.body.textContent = 'ran'</script>`,
  ].join('\r\n');
  await post(system.gatewayUrl, asProvider(system.gatewayUrl).mime(mail));
  const page = await desk.open(`/customers/${id}`);
  await page.getByText('As it was sent', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show it as it was sent' }).click();
  await page.frameLocator('iframe').getByText(words).waitFor();
  await page.close();
});

/** So many inbound messages an hour apart, `Word 1.` the newest; that many of the newest unread. */
async function longLog(customer: string, count: number, unread: number): Promise<void> {
  await (await system.client('staff')).put(`/ops/customers/${customer}`, { name: `Demo ${customer}`, phones: [] });
  await system.database('comms').raw(
    `INSERT INTO communications (id, customer_id, type, direction, body, unread, status, occurred_at, created_at)
     SELECT gen_random_uuid(), :customer, 'SMS', 'INBOUND', 'Word ' || n || '.', n <= :unread, 'RECEIVED',
            now() - n * interval '1 hour', now() - n * interval '1 hour' FROM generate_series(1, :count) n`,
    { customer, count, unread },
  );
}

test('a log opens at the first that nobody had read, however far back, and says what is new', async () => {
  await longLog('C-unread', 240, 120);
  const staff = await system.client('staff');
  const page = await desk.open('/customers/C-unread');
  const log = page.getByRole('log');
  const line = log.getByText('new', { exact: true });
  await line.waitFor();
  await eventually(async () => {
    const [box, within] = [await line.boundingBox(), await log.boundingBox()];
    expect(box?.y).toBeGreaterThanOrEqual(within?.y as number);
    expect(box?.y).toBeLessThan((within?.y as number) + 100);
  });
  expect(await line.locator('xpath=following-sibling::article[1]').textContent()).toContain('Word 120.');
  await eventually(async () => {
    expect((await staff.get('/ops/customers/C-unread')).body).toMatchObject({ unread_count: 0 });
  });
  await line.waitFor();
  await page.close();
});

test('what comes in below while somebody reads further up stays unread until they come to it', async () => {
  await longLog('C-up', 120, 0);
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
  await longLog('C-late', 3, 1);
  expect((await staff.post(`/ops/unmatched/${waiting.id}/link`, { customer_id: 'C-late' })).status).toBe(200);
  const page = await desk.open('/customers/C-late');
  await page.getByText(text).waitFor();
  await eventually(async () =>
    expect((await staff.get('/ops/customers/C-late')).body).toMatchObject({ unread_count: 0 }),
  );
  await page.close();
});

test('each filter says how many it finds, and a link to one message leads to it far back in the log', async () => {
  await longLog('C-link', 240, 0);
  const staff = await system.client('staff');
  const notes = '/ops/customers/C-link/notes';
  for (const body of ['First note', 'Second note']) await staff.post(notes, { body });
  const { body } = await staff.get('/ops/customers/C-link/communications?q=Word 200.');
  const [{ id: message }] = (body as { data: [{ id: string }] }).data;
  const page = await desk.open(`/customers/C-link?message=${message}`);
  await page.getByRole('article').filter({ hasText: 'Word 200.' }).and(page.locator(':focus')).waitFor();
  const names = () => page.getByRole('radiogroup', { name: 'Which communications' }).locator('label').allTextContents();
  expect(await names()).toEqual(['All 242', 'Messaging app 0', 'E-mail 0', 'Notes 2']);
  await page.getByRole('textbox', { name: 'Search this log' }).fill('First');
  await eventually(async () => expect(await names()).toEqual(['All 1', 'Messaging app 0', 'E-mail 0', 'Notes 1']));
  await page.close();
});

test('somebody far back in a long log sees what is new, and what changed where they are, without all of it being fetched', async () => {
  const far = 'C-far';
  await (await system.client('staff')).put(`/ops/customers/${far}`, { name: 'Demo Far', phones: ['+447700900223'] });
  await system.database('comms').raw(
    `INSERT INTO communications (id, customer_id, type, direction, body, unread, status, author, occurred_at, created_at)
     SELECT gen_random_uuid(), :far, 'INTERNAL_NOTE', 'INTERNAL', 'Note ' || n || '.', false, 'LOGGED', 'demo-staff',
            now() - n * interval '1 hour', now() FROM generate_series(1, 240) n`,
    { far },
  );
  const page = await desk.open(`/customers/${far}`);
  await page.getByText('Note 1.', { exact: true }).waitFor();
  const older = page.getByRole('button', { name: 'Older' });
  await page.getByRole('log').hover();
  await eventually(async () => {
    await page.mouse.wheel(0, -10_000);
    expect(await older.count()).toBe(0);
  });
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/communications?')) asked++;
  });
  const oldest = page.getByRole('article').filter({ hasText: 'Note 240.' });
  const id240 = await oldest.getAttribute('data-record');
  await (await system.client('staff')).post(`/ops/communications/${id240}/strike`);
  await oldest.and(page.locator('[data-struck]')).waitFor();
  await system.simulator.person({ name: 'Demo Far', phone: '+447700900223' });
  const text = canary();
  await system.simulator.write('+447700900223', { channel: 'MESSAGING_APP', text });
  await page.getByText(text).waitFor({ state: 'attached' });
  expect(await page.getByRole('article').count()).toBe(241);
  expect(asked).toBeLessThan(10);
  await page.close();
});

test('who is no longer signed in is told so over what they were doing, and finds what they typed when they are back', async () => {
  const page = await desk.openApart(`/customers/${id}`);
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.fill('Typed before the sign-in ended');
  await page.context().clearCookies();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.getByText('Your sign-in has ended. What you typed is kept.').waitFor();
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await page.locator('[value="demo-staff"]').click();
  await page.getByRole('heading', { name: 'Demo Browser' }).waitFor();
  await page.getByRole('tab', { name: 'Communications' }).click();
  await eventually(async () => expect(await field.inputValue()).toBe('Typed before the sign-in ended'));
  await field.fill('');
  await page.close();
});

test('who signs out is out, and who is no staff is told so', async () => {
  const page = await desk.openApart('/customers');
  await page.getByRole('button', { name: 'Sign out' }).click();
  // The identity provider asks whether its own session is to end as well.
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  await page.close();
  const automation = await desk.signIn('demo-automation');
  await automation.getByText('This is for staff').waitFor();
  await automation.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
