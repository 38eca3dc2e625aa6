import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { asProvider, post } from '../webhooks/as-provider.ts';
import { arrives } from './arriving.ts';
import { longLog, shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-browser';
const phone = '+447700900222';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Browser', phone, email: 'browser@example.com' });
  system = desk.system;
});
afterAll(() => desk?.stop());

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
  await arrives(system, page, asked);
  const answer = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(answer);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await handset.getByText(answer).waitFor();
  await page.getByRole('article').filter({ hasText: answer }).getByText('Read').waitFor();
  await Promise.all([device.close(), page.close()]);
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

test('each filter says how many it finds, and a link to one message leads to it far back in the log', async () => {
  await longLog(system, 'C-link', 240, 0);
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

test('a log opens at the first that nobody had read, however far back, and says what is new', async () => {
  await longLog(system, 'C-unread', 240, 120);
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

test('who signs out is out, with nothing left in the browser of what was typed; who is no staff is told so', async () => {
  const page = await desk.signIn('demo-staff');
  await page.goto(`${system.gatewayUrl}/customers/${id}`);
  const words = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(words);
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
  const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  await signOut.click();
  await page.getByText('What you typed in 1 place and did not send or save is removed').waitFor();
  await page.getByRole('button', { name: 'Stay' }).press('Enter');
  expect(await kept()).toContain(words);
  await signOut.and(page.locator(':focus')).press('Enter');
  await page.getByRole('button', { name: 'Sign out all the same' }).press('Enter');
  // The identity provider asks whether its own session is to end as well.
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in', exact: true }).waitFor();
  expect(await kept()).not.toContain(words);
  await page.close();
  const automation = await desk.signIn('demo-automation');
  await automation.getByText('This is for staff').waitFor();
  await automation.close();
});

test('staff see which address opted out, and who said so; they lift it with a reason', async () => {
  const [optedOut, other] = ['+447700900223', '+447700900224'];
  const staff = await system.client('staff', 'demo-staff');
  await staff.put('/ops/agents/demo-staff', { name: 'Demo Staff' });
  await staff.put('/ops/customers/C-opted-out', { name: 'Demo Opted Out', phones: [optedOut, other] });
  await system.simulator.person({ name: 'Demo Opted Out', phone: optedOut });
  await system.simulator.write(optedOut, { channel: 'SMS', text: 'STOP' });
  const page = await desk.open('/customers/C-opted-out');
  await page.getByRole('link', { name: 'Opted out of SMS' }).click();
  const address = page.getByRole('region', { name: optedOut });
  await address.getByText(/^Opted out of SMS: wrote STOP on /).waitFor();
  await page.getByRole('region', { name: other }).getByText('Automated messages may come by SMS').waitFor();
  const decided = page.getByRole('region', { name: 'Opt-outs, as they were decided' });
  await decided.getByRole('link', { name: 'Show the message' }).waitFor();

  const lift = address.getByRole('button', { name: `Lift the opt-out of SMS for ${optedOut}` });
  await lift.press('Enter');
  await address.getByRole('textbox', { name: 'Why' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await address.getByText('Say why.').waitFor();
  await page.keyboard.type('asked for them again');
  await page.keyboard.press('Enter');
  await address.getByText('Automated messages may come by SMS').waitFor();
  await decided.getByText(`Opted in again to SMS to ${optedOut}: Demo Staff said so, `).waitFor();
  await decided.getByText('asked for them again').waitFor();
  await page.getByRole('link', { name: 'Opted out of SMS' }).waitFor({ state: 'detached' });
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});

test('digits go to the tabs, are listed with the other keys, and are digits where one types', async () => {
  const page = await desk.open(`/customers/${id}`);
  const heading = page.getByRole('heading', { level: 1, name: 'Demo Browser' });
  await heading.waitFor();
  const selected = (name: string) => page.getByRole('tab', { name, selected: true });
  const tabs = ['Communications', 'Renewals', 'Tasks', 'Details', 'Timeline'];
  for (const [at, name] of [...tabs.entries()].toReversed()) {
    await page.keyboard.press(String(at + 1));
    await selected(name).and(page.locator(':focus')).waitFor();
    await page.getByRole('tabpanel', { name }).waitFor();
  }
  await page.keyboard.press('3');
  await page.getByRole('tabpanel', { name: 'Tasks' }).waitFor();
  await page.keyboard.press('Shift+?');
  await page.getByRole('complementary', { name: 'Keys' }).getByText('the tabs, from the left').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('1');
  await page.getByRole('tabpanel', { name: 'Communications' }).waitFor();
  for (const name of ['Write to the customer', 'Search this log']) {
    const field = page.getByRole('textbox', { name });
    await field.focus();
    await page.keyboard.type('213456');
    expect(await field.inputValue()).toBe('213456');
    await field.fill('');
  }
  expect(await selected('Communications').count()).toBe(1);
  await page.close();
});
