import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import { providerSecrets } from '@ops/test-system/provider-secrets';
import type { Page } from 'playwright-core';
import { asProvider } from '../webhooks/as-provider.ts';
import { type Desk, startDesk } from './desk.ts';

let desk: Desk;
const ann = { id: 'C-ann', name: 'Ann Example' };
const bea = { id: 'C-bea', name: 'Bea Example' };
const shared = '+447700900444';

beforeAll(async () => {
  desk = await startDesk(providerSecrets);
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${ann.id}`, {
    name: ann.name,
    phones: ['+447700900441', shared],
    emails: ['ann@example.com'],
  });
  await staff.put(`/ops/customers/${bea.id}`, { name: bea.name, phones: ['+447700900442', shared] });
});
afterAll(() => desk?.stop());

const cardOf = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });
const undo = (page: Page, words: string) =>
  page.getByRole('status').locator('div', { hasText: words }).getByRole('button', { name: 'Undo' }).click();

test('messages of an unknown sender come by themselves, go to a candidate together, and are taken back', async () => {
  const [page, other] = [await desk.open('/unmatched'), await desk.open('/unmatched', 'demo-admin')];
  await page.getByText('Every message has its customer.').waitFor();
  const stranger = '+447700900551';
  await desk.system.simulator.person({ name: ann.name, phone: stranger });
  const [first, second] = [`<b>${canary()}</b>`, canary()];
  await desk.system.simulator.write(stranger, { channel: 'MESSAGING_APP', text: first });
  await desk.system.simulator.write(stranger, { channel: 'MESSAGING_APP', text: second });
  await cardOf(page, first).getByText('2 messages of this sender wait').waitFor();
  await cardOf(page, first).getByText(stranger).waitFor();
  await cardOf(page, first).getByText('No customer has this number.').waitFor();
  await cardOf(page, first).getByText('the names agree').waitFor();
  await cardOf(other, second).waitFor();

  await cardOf(page, first)
    .getByRole('button', { name: `Link to ${ann.name}` })
    .click();
  await page.getByText(`2 messages moved to ${ann.name}.`).waitFor();
  for (const one of [page, other]) await one.getByText('Every message has its customer.').waitFor();
  await undo(page, 'moved to');
  for (const one of [page, other]) await Promise.all([first, second].map((text) => cardOf(one, text).waitFor()));
  await Promise.all([page.close(), other.close()]);
});

/** Taken by Postmark, which found this out about its sender. */
async function mailFromAnn(text: string, headers: Record<string, string>) {
  const Headers = Object.entries({ 'Message-ID': `<${canary()}@example.com>`, ...headers }).map(([Name, Value]) => ({
    Name,
    Value,
  }));
  const FromFull = { Email: 'ann@example.com', Name: ann.name };
  const mail = { FromFull, ToFull: [{ Email: 'office@example.com' }], Subject: 'My permit', TextBody: text, Headers };
  const { path, ...request } = asProvider('', providerSecrets).postmark(JSON.stringify(mail));
  const { status } = await fetch(desk.system.gatewayUrl + path, { method: 'POST', ...request });
  expect(status).toBe(200);
}

test('a mail in a customer’s name that may be forged waits by itself and says so, and so it does once it is linked', async () => {
  const page = await desk.open('/unmatched');
  const text = canary();
  await mailFromAnn(text, { 'Received-SPF': 'Fail (not permitted)', Date: 'Thu, 15 Jan 2015 10:00:00 +0000' });
  const card = cardOf(page, text);
  await card.getByText(/^dated .*2015.* by its sender$/).waitFor();
  await card.getByText(`looks like ${ann.name}, and may be forged`).waitFor();
  await card.getByRole('button', { name: `Link to ${ann.name}` }).click();
  await page.getByText(`1 message moved to ${ann.name}.`).waitFor();
  await page.goto(`${desk.system.gatewayUrl}/customers/${ann.id}`);
  await cardOf(page, text).getByText('The sender could not be verified').waitFor();
  await page.close();
});

test('an e-mail is answered where its writer wants it, and the composer says where that is', async () => {
  const page = await desk.open(`/customers/${ann.id}`);
  const text = canary();
  await mailFromAnn(text, { 'Reply-To': 'Desk <desk@work.example>' });
  const record = cardOf(page, text);
  await record.getByText('replies go to desk@work.example').waitFor();
  await page.getByText('to office@example.com').last().waitFor();
  await record.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('That is no address of this customer.').waitFor();
  const words = canary();
  await page.keyboard.type(words);
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  await cardOf(page, words).getByText('Re: My permit').waitFor();
  const staff = await desk.system.client('staff');
  const { body } = await staff.get(`/ops/customers/${ann.id}/communications?direction=OUTBOUND&limit=1`);
  expect(body).toMatchObject({ data: [{ body: words, in_reply_to: expect.any(String) }] });
  await page.close();
});

test('a customer nobody thought of is found and chosen by keyboard, and unlinked in the list of what is linked', async () => {
  const page = await desk.open('/unmatched');
  const stranger = '+447700900552';
  const text = canary();
  await desk.system.simulator.person({ phone: stranger });
  await desk.system.simulator.write(stranger, { channel: 'SMS', text });
  await cardOf(page, text).getByRole('button', { name: 'Find the customer' }).click();
  await page.keyboard.type('Bea');
  await page.getByRole('option', { name: /Bea Example/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText(`1 message moved to ${bea.name}.`).waitFor();
  await page.getByText('Linked', { exact: true }).click();
  await cardOf(page, text).getByRole('link', { name: bea.name }).waitFor();
  await cardOf(page, text).getByRole('button', { name: 'Unlink' }).click();
  await cardOf(page, text).waitFor({ state: 'detached' });
  await undo(page, '1 message waits again.');
  await cardOf(page, text).waitFor();
  await page.close();
});

test('a sender becomes a customer under an id that nobody has, and the message is in their log', async () => {
  const page = await desk.open('/unmatched');
  const stranger = '+447700900553';
  const text = canary();
  await desk.system.simulator.person({ name: 'Cem New', phone: stranger });
  await desk.system.simulator.write(stranger, { channel: 'MESSAGING_APP', text });
  const card = cardOf(page, text);
  await card.getByRole('button', { name: 'New customer' }).click();
  await card.getByLabel('Customer id').fill(ann.id);
  await card.getByRole('button', { name: 'Create and link' }).click();
  await card.getByText(`${ann.id} is ${ann.name} already`).waitFor();
  // What is typed is there again, whatever else somebody looked at meanwhile.
  await card.getByLabel('Name').fill('Cem Newman');
  await card.getByRole('button', { name: 'Find the customer' }).click();
  await card.getByLabel('Customer id').waitFor({ state: 'detached' });
  await page.reload();
  await card.getByRole('button', { name: 'New customer' }).click();
  expect(await card.getByLabel('Customer id').inputValue()).toBe(ann.id);
  expect(await card.getByLabel('Name').inputValue()).toBe('Cem Newman');
  await card.getByLabel('Customer id').fill('C-cem');
  await card.getByRole('button', { name: 'Create and link' }).click();
  await page.getByText('1 message moved to Cem Newman.').waitFor();
  await page.goto(`${desk.system.gatewayUrl}/customers/C-cem`);
  await page.getByRole('heading', { name: 'Cem Newman' }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('new ')))).toEqual([]);
  await page.getByText(text).waitFor();
  await page.getByRole('link', { name: stranger, exact: true }).waitFor();
  await page.close();
});

test('where more than one customer has the number, each stands there with that reason', async () => {
  const page = await desk.open('/unmatched');
  const text = canary();
  await desk.system.simulator.person({ phone: shared });
  await desk.system.simulator.write(shared, { channel: 'SMS', text });
  const card = cardOf(page, text);
  await card.getByText('More than one customer has this number.').waitFor();
  const candidates = card.getByRole('list', { name: 'Who it may be from' }).getByRole('listitem');
  expect((await candidates.allTextContents()).sort()).toEqual([
    expect.stringMatching(/Ann Example.*has this number/),
    expect.stringMatching(/Bea Example.*has this number/),
  ]);
  await page.close();
});

test('a stream that was cut off catches up by itself', async () => {
  const page = await desk.openApart('/unmatched');
  await desk.system.kill('gateway');
  await page.getByText('Not live').waitFor();
  await desk.system.restart('gateway');
  await page.getByText('Live', { exact: true }).waitFor();
  const [text, stranger] = [canary(), '+447700900554'];
  await desk.system.simulator.person({ phone: stranger });
  await desk.system.simulator.write(stranger, { channel: 'MESSAGING_APP', text });
  await cardOf(page, text).waitFor();
  await page.close();
  // Of the seconds without a gateway.
  desk.forgive();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
