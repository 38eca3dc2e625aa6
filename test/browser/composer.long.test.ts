import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

/** In the page. */
declare const DataTransfer: new () => { items: { add(file: File): void } };
declare const DragEvent: new (type: string, how: object) => Event;

let desk: Desk;
let system: Desk['system'];
const id = 'C-composer';
const phone = '+447700900241';
const second = 'composer@work.example';

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Demo Composer', phone, email: 'composer@example.com' });
  system = desk.system;
  const staff = await system.client('staff');
  const emails = ['composer@example.com', second];
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Composer', phones: [phone], emails });
  await system.simulator.person({ name: 'Demo Composer', email: second });
});
afterAll(() => desk?.stop());

test('one begins on the channel and at the address the customer wrote from last, and may write anew instead', async () => {
  const asked = canary();
  await system.simulator.write(second, { channel: 'EMAIL', text: asked });
  const staff = await system.client('staff');
  await eventually(async () =>
    expect((await staff.get(`/ops/customers/${id}/communications?q=${asked}`)).body).toMatchObject({
      data: [{ sender: second }],
    }),
  );
  const page = await desk.open(`/customers/${id}`);
  const goesTo = page.getByText(new RegExp(`goes to ${second.replace('.', '\\.')}`));
  await goesTo.waitFor();
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  const answer = canary();
  await field.fill(answer);
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  await page.getByRole('article').filter({ hasText: answer }).getByText('Sent').waitFor();
  expect((await system.simulator.messages(second)).map(({ text }) => text)).toContain(answer);

  await goesTo.waitFor();
  await field.focus();
  await page.keyboard.press('Escape');
  await goesTo.waitFor({ state: 'detached' });
  const anew = canary();
  await page.keyboard.type(anew);
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  await page.getByRole('article').filter({ hasText: anew }).getByText('Sent').waitFor();
  const { body } = await staff.get(`/ops/customers/${id}/communications?q=${anew}`);
  expect(body).toMatchObject({ data: [{ in_reply_to: null }] });

  // What came by another channel is answered there, by its own button.
  const text = canary();
  await system.simulator.write(phone, { channel: 'SMS', text });
  await page.getByRole('article').filter({ hasText: text }).getByRole('button', { name: 'Answer' }).click();
  await page.getByText(`Answers “${text}”, and goes to ${phone}.`).waitFor();
  await page.getByRole('button', { name: 'Send SMS' }).waitFor();
  await page.close();
});

const file = (name: string, mimeType: string, text: string) => ({ name, mimeType, buffer: Buffer.from(text) });

test('files go along by e-mail and the messaging app; what cannot go says why, and a draft keeps what it has', async () => {
  const page = await desk.open(`/customers/${id}`);
  const kinds = page.getByRole('radiogroup', { name: 'How to write' });
  await kinds.getByText('E-mail', { exact: true }).click();
  const input = page.getByLabel('Add files');
  const files = page.getByRole('list', { name: 'Files' });
  await input.setInputFiles([
    file('Permit.pdf', 'application/pdf', '%PDF-1.7 permit'),
    file('Extra.txt', 'text/plain', 'not meant'),
    file('Setup.exe', 'application/octet-stream', 'MZ'),
    file('Empty.txt', 'text/plain', ''),
  ]);
  await files.getByText('Permit.pdf (1 KB)').waitFor();
  await files.getByText('Extra.txt (1 KB)').waitFor();
  await files.getByText('Setup.exe: Ends in .exe: programs are refused').waitFor();
  await files.getByText('Empty.txt: is empty').waitFor();
  await page.reload();
  await files.getByRole('button', { name: 'Remove Extra.txt' }).click();
  expect(await files.getByRole('listitem').count()).toBe(1);
  const text = canary();
  await page.getByRole('textbox', { name: 'Write to the customer' }).fill(text);
  await page.getByRole('button', { name: 'Send e-mail' }).click();
  const sent = page.getByRole('article').filter({ hasText: text });
  await sent.getByRole('link', { name: /^Permit.pdf/ }).waitFor();
  await sent.getByText('Sent').waitFor();
  const mails = [...(await system.simulator.messages(second)), ...(await system.simulator.messages(phone))];
  expect(mails.find((one) => one.text.includes(text))?.files).toMatchObject([
    { name: 'Permit.pdf', media_type: 'application/pdf', size: 15 },
  ]);
  await files.waitFor({ state: 'detached' });

  await kinds.getByText('SMS', { exact: true }).click();
  expect(await page.getByRole('button', { name: /An SMS takes no files/ }).isDisabled()).toBe(true);

  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await kinds.getByText('Messaging app', { exact: true }).click();
  await page.getByText(/^Free text is possible/).waitFor();
  await page.getByRole('region', { name: 'Write' }).evaluate((composer) => {
    const dropped = new DataTransfer();
    for (const name of ['Photo.png', 'Other.png']) dropped.items.add(new File(['png'], name, { type: 'image/png' }));
    composer.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: dropped }));
  });
  await page.getByText('The messaging app takes one file with a message.').waitFor();
  await files.getByRole('button', { name: 'Remove Other.png' }).click();
  // A picture needs no words.
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const picture = page.getByRole('link', { name: /^Photo\.png/ });
  await page.getByRole('article').filter({ has: picture }).getByText('Delivered').waitFor();
  const arrived = (await system.simulator.messages(phone)).find(
    ({ channel, text: words }) => channel === 'MESSAGING_APP' && words === '',
  );
  expect(arrived?.files).toMatchObject([{ media_type: 'image/png', size: 3 }]);
  await page.close();
});

test('a message leaves later, is changed before it does and called back, and what failed is settled or goes another way', async () => {
  const page = await desk.open(`/customers/${id}`);
  const kinds = page.getByRole('radiogroup', { name: 'How to write' });
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  // What the log says of how to write moves what is to be clicked.
  await page.getByRole('article').last().waitFor();
  await kinds.getByText('SMS', { exact: true }).click();
  const write = async (text: string) => {
    await field.fill(text);
    await page.getByRole('button', { name: 'Later', exact: true }).click();
    await page.getByLabel('Leaves at').waitFor();
    await page.getByRole('button', { name: 'Send SMS later' }).click();
    return page.getByRole('article').filter({ hasText: text });
  };
  const [first, old, fresh] = [canary(), canary(), canary()];
  const waiting = await write(first);
  await waiting.getByText(/Leaves \w+day/).waitFor();
  await waiting.getByRole('button', { name: 'Call back' }).click();
  await waiting.getByText(/called back before it left/).waitFor();
  expect(await field.inputValue()).toBe(first);
  // With the time it had.
  await page.getByRole('button', { name: 'Send SMS later' }).waitFor();
  await page.getByRole('button', { name: 'Leave at once' }).click();

  const changed = await write(old);
  await changed.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Words').fill(fresh);
  const form = page.getByRole('article').filter({ has: page.getByLabel('Words') });
  await form.getByRole('button', { name: 'Leave at once' }).click();
  await form.getByRole('button', { name: 'Save, and send now' }).click();
  const sent = page.getByRole('article').filter({ hasText: fresh });
  await sent.getByText('Delivered').waitFor();
  const texts = (await system.simulator.messages(phone)).map(({ text }) => text);
  expect(texts.filter((text) => text === fresh)).toHaveLength(1);
  expect(texts.filter((text) => text === first || text === old)).toEqual([]);

  await system.database('comms').raw(`UPDATE communications SET status = 'FAILED' WHERE body = ?`, [fresh]);
  await page.reload();
  await sent.getByRole('button', { name: 'By another channel' }).click();
  await page.getByRole('menuitem', { name: 'E-mail' }).click();
  await page.getByRole('button', { name: 'Send e-mail' }).waitFor();
  expect(await field.inputValue()).toBe(fresh);
  await field.fill('');
  await sent.getByRole('button', { name: 'Settled otherwise' }).click();
  await page.keyboard.type('by phone');
  await page.keyboard.press('Enter');
  await sent.getByText('Settled otherwise by Demo Staff: By phone').waitFor();
  await page.goto(`${system.gatewayUrl}/not-sent`);
  await page.getByRole('heading', { name: 'Failed and uncertain messages' }).waitFor();
  await page.getByText(fresh).waitFor({ state: 'detached' });
  await page.close();
});

test('a reply that is written again and again is kept in Settings, and taken by a slash with its fields filled in', async () => {
  const page = await desk.open('/settings/replies');
  const mine = page.getByRole('region', { name: 'My signature and replies' });
  await mine.getByRole('button', { name: 'Add a reply' }).click();
  await mine.getByLabel('Name').fill('Papers');
  await mine.getByLabel('Words').fill('Dear {{name}}');
  await mine.getByRole('button', { name: 'Save' }).click();
  await mine.getByText('Has a field that nobody fills: {{name}}').waitFor();
  await mine.getByLabel('Words').fill('Dear {{customer_name}}, send us your papers. {{agent_name}}');
  await mine.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your signature and replies are saved.').waitFor();

  await page.goto(`${system.gatewayUrl}/customers/${id}`);
  const field = page.getByRole('textbox', { name: 'Write to the customer' });
  await field.focus();
  await page.keyboard.type('Hello! /');
  const replies = page.getByRole('dialog', { name: 'Replies' });
  await replies.getByText('Dear Demo Composer, send us your papers. Demo Staff').waitFor();
  await page.keyboard.type('pap');
  await page.keyboard.press('Enter');
  await eventually(async () =>
    expect(await field.inputValue()).toBe('Hello! Dear Demo Composer, send us your papers. Demo Staff'),
  );
  await replies.waitFor({ state: 'detached' });
  await field.and(page.locator(':focus')).waitFor();
  await field.fill('');
  await page.close();
});

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a picture is shown where it stands and looked through by keys; what only calls itself one is a file', async () => {
  const { simulator } = system;
  const send = async (name: string, bytes: Buffer) => {
    const files = [await simulator.file(name, 'image/png', bytes)];
    await simulator.write(phone, { channel: 'MESSAGING_APP', text: canary(), files });
  };
  await send('first.png', Buffer.from(pixel, 'base64'));
  await send('second.png', Buffer.from(pixel, 'base64'));
  await send('third.png', Buffer.from('<html>'));
  const page = await desk.open(`/customers/${id}`);
  const pictures = page.getByRole('log').locator('[data-picture]');
  await page
    .getByRole('link', { name: /\(1 KB\)$/ })
    .last()
    .waitFor();
  await eventually(async () => expect(await pictures.count()).toBe(2));
  await pictures.first().click();
  const viewer = page.getByRole('dialog').filter({ hasText: '1 of 2' });
  await viewer.waitFor();
  await page.keyboard.press('ArrowRight');
  const second = page.getByRole('dialog').filter({ hasText: '2 of 2' });
  await second.waitFor();
  await page.keyboard.press('+');
  await second.getByRole('group', { name: 'The picture, larger than its room' }).waitFor();
  await page.keyboard.press('0');
  await second.getByRole('group').waitFor({ state: 'detached' });
  // Keys of the page behind do nothing, and the focus does not get there.
  await page.keyboard.press('n');
  for (let n = 0; n < 9; n++) await page.keyboard.press('Tab');
  expect(await page.locator('main :focus').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await pictures.first().and(page.locator(':focus')).waitFor();
  await page.close();
});

test('what stands in the log is struck, moved, linked to and followed from its own menu', async () => {
  const staff = await system.client('staff');
  await staff.put('/ops/customers/C-composer-2', { name: 'Demo Other' });
  const [wrong, theirs] = [canary(), canary()];
  await staff.post(`/ops/customers/${id}/notes`, { body: wrong });
  await staff.post(`/ops/customers/${id}/communications`, { type: 'SMS', direction: 'INBOUND', body: theirs });
  const page = await desk.open(`/customers/${id}`);
  const menuOf = async (text: string, item: string) => {
    const record = page.getByRole('article').filter({ hasText: text });
    await record.hover();
    await record.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    return record;
  };
  const struck = await menuOf(wrong, 'Strike out');
  await page.getByText('The note is struck out.').waitFor();
  await menuOf(wrong, 'What became of it');
  await struck.getByText(/struck out, by Demo Staff/).waitFor();
  await menuOf(theirs, 'Copy link');
  await page.getByText(/The link is copied|\?message=/).waitFor();
  const moved = await menuOf(theirs, 'Move to another customer');
  await moved.getByRole('combobox', { name: 'Whose it is' }).fill('Demo Other');
  await page.getByRole('option', { name: /Demo Other/ }).click();
  await moved.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Moved to Demo Other.').waitFor();
  await moved.waitFor({ state: 'detached' });
  await page.goto(`${system.gatewayUrl}/customers/C-composer-2`);
  await page.getByRole('article').filter({ hasText: theirs }).waitFor();
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
