import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { createTransport } from 'nodemailer';
import { cloudValues, smsForms, startTestFirm, type TestFirm } from '../test/firm.ts';

let firm: TestFirm;
beforeAll(async () => {
  firm = await startTestFirm({ PEOPLE: JSON.stringify([{ name: 'Demo', phones: ['+44 7700 900001'], emails: [] }]) });
});
afterAll(() => firm.stop());
beforeEach(async () => {
  firm.answer(200);
  await firm.simulator.faults();
  firm.heard.length = 0;
});

const phone = '+447700900001';
const bearer = { authorization: 'Bearer token-of-the-app' };
const basic = { authorization: `Basic ${Buffer.from('AC1:token-of-sms-of-tests').toString('base64')}` };

const sendCloud = (message: object, headers: Record<string, string> = bearer) =>
  fetch(`${firm.simulator.url}/v23.0/1001/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ messaging_product: 'whatsapp', to: '447700900001', ...message }),
    signal: AbortSignal.timeout(3000),
  });
const text = (body: string) => ({ type: 'text', text: { body } });

const sendSms = (fields: Record<string, string>) =>
  fetch(`${firm.simulator.url}/2010-04-01/Accounts/AC1/Messages.json`, {
    method: 'POST',
    headers: basic,
    body: new URLSearchParams({ To: phone, From: '+447700900100', ...fields }),
  });

const sendMail = (mail: object) =>
  createTransport({ host: '127.0.0.1', port: firm.smtpPort, ignoreTLS: true }).sendMail({
    from: 'Demo Office <office@example.com>',
    to: 'one@example.com',
    ...mail,
  });

const statuses = () => cloudValues(firm.heard).flatMap((value) => value.statuses ?? []);
const said = () => cloudValues(firm.heard).flatMap((value) => value.messages ?? []);

test('a message of the firm’s is on the phone, and its receipts come back signed, with what the firm knows it by', async () => {
  const answer = await sendCloud({ ...text('Grüezi'), biz_opaque_callback_data: 'attempt-1' });
  const { messages } = (await answer.json()) as { messages: { id: string }[] };
  await eventually(() => expect(statuses()).toHaveLength(2));
  const known = { id: messages[0]?.id, recipient_id: '447700900001', biz_opaque_callback_data: 'attempt-1' };
  expect(statuses()).toEqual(['sent', 'delivered'].map((status) => expect.objectContaining({ ...known, status })));
  expect(await firm.simulator.messages(phone)).toEqual([
    expect.objectContaining({ text: 'Grüezi', external_id: messages[0]?.id, from_firm: true }),
  ]);
  await firm.simulator.look(phone, 'MESSAGING_APP');
  await eventually(() => expect(statuses().map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']));
  await firm.simulator.look(phone, 'MESSAGING_APP');
  expect(await firm.simulator.webhooksWaiting()).toBe(0);
  expect(statuses()).toHaveLength(3);
});

test('what a person writes, answers, reacts to, edits and takes back reaches the firm', async () => {
  const first = await firm.simulator.write(phone, { channel: 'MESSAGING_APP', text: 'Hallo 👋' });
  await firm.simulator.write(phone, { channel: 'MESSAGING_APP', text: 'also', reply_to: first.id });
  await firm.simulator.react(first.id, '👍');
  await firm.simulator.change(first.id, 'Hello');
  await firm.simulator.change(first.id, null);
  await eventually(() => expect(said()).toHaveLength(5));
  const of = (type: string) => said().filter((message) => message.type === type);
  const from = '447700900001';
  expect(of('text')).toEqual([
    expect.objectContaining({ from, id: first.external_id, text: { body: 'Hallo 👋' } }),
    expect.objectContaining({ text: { body: 'also' }, context: { from: '447700900100', id: first.external_id } }),
  ]);
  expect(of('reaction')[0]).toMatchObject({ reaction: { message_id: first.external_id, emoji: '👍' } });
  expect(of('edit')[0]).toMatchObject({
    edit: { original_message_id: first.external_id, message: { type: 'text', text: { body: 'Hello' } } },
  });
  expect(of('revoke')[0]).toMatchObject({ revoke: { original_message_id: first.external_id } });
  expect(firm.heard.every(({ body }) => /^[\0-\x7f]*$/.test(body))).toBe(true);
});

test('somebody without a phone number is named by the id alone', async () => {
  const { id } = await firm.simulator.person({ name: 'Ada', user_id: 'GB.123' });
  await firm.simulator.write(id, { channel: 'MESSAGING_APP', text: 'hi' });
  await eventually(() => expect(cloudValues(firm.heard)).toHaveLength(1));
  const [value] = cloudValues(firm.heard);
  expect(value.contacts).toEqual([{ profile: { name: 'Ada' }, user_id: 'GB.123' }]);
  expect(value.messages[0]).toMatchObject({ from_user_id: 'GB.123' });
  expect(value.messages[0]).not.toHaveProperty('from');
  await sendCloud({ ...text('hello'), to: undefined, recipient: 'GB.123' });
  expect((await firm.simulator.messages(id)).map((message) => message.text)).toEqual(['hi', 'hello']);
});

test('a photo travels both ways', async () => {
  const photo = await firm.simulator.file('permit.png', 'image/png', Buffer.from('png'));
  await firm.simulator.write(phone, { channel: 'MESSAGING_APP', text: 'here', files: [photo] });
  await eventually(() => expect(said()).toHaveLength(1));
  const [{ image }] = said();
  expect(image).toMatchObject({ caption: 'here', mime_type: 'image/png' });
  const described = await fetch(`${firm.simulator.url}/v23.0/${image.id}`, { headers: bearer });
  const { url } = (await described.json()) as { url: string };
  expect((await fetch(url)).status).toBe(401);
  expect(await (await fetch(url, { headers: bearer })).text()).toBe('png');

  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new File(['%PDF'], 'letter.pdf', { type: 'application/pdf' }));
  const media = await fetch(`${firm.simulator.url}/v23.0/1001/media`, { method: 'POST', headers: bearer, body: form });
  const { id } = (await media.json()) as { id: string };
  await sendCloud({ type: 'document', document: { id, filename: 'letter.pdf', caption: 'Read me' } });
  const arrived = (await firm.simulator.messages(phone)).at(-1);
  expect(arrived).toMatchObject({ text: 'Read me', files: [{ name: 'letter.pdf', media_type: 'application/pdf' }] });
  expect((await sendCloud({ type: 'document', document: { id: 'unknown' } })).status).toBe(400);
});

test.each([
  ['without the token', text('x'), {}, 401, 190],
  ['without words', { type: 'text' }, bearer, 400, 100],
  ['by a template nobody approved', template('other', 'hi'), bearer, 404, 132001],
  ['by a template with a line break in its parameter', template('news', 'a\nb'), bearer, 400, 132018],
  ['by a template without its parameter', template('news'), bearer, 400, 132000],
])('a message %s is refused with the provider’s code', async (_how, message, headers, status, code) => {
  const answer = await sendCloud(message, headers);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: { code } });
});

function template(name: string, ...words: string[]) {
  const parameters = words.map((word) => ({ type: 'text', text: word }));
  return { type: 'template', template: { name, language: { code: 'en' }, components: [{ type: 'body', parameters }] } };
}

test('a template shows its words', async () => {
  await sendCloud(template('news', 'Your permit expires soon.'));
  expect((await firm.simulator.messages(phone)).at(-1)).toMatchObject({
    text: 'Your permit expires soon.',
    template: 'news:en',
  });
});

test('an SMS goes out with signed callbacks to the address it gave, and one comes in', async () => {
  const { PUBLIC_URL } = firm.settings;
  const answer = await sendSms({ Body: 'Hi', StatusCallback: `${PUBLIC_URL}/webhooks/sms?attempt=7` });
  expect(answer.status).toBe(201);
  const { sid } = (await answer.json()) as { sid: string };
  await eventually(() => expect(smsForms(firm.heard, PUBLIC_URL)).toHaveLength(2));
  expect(smsForms(firm.heard, PUBLIC_URL)).toEqual(
    ['sent', 'delivered'].map((MessageStatus) =>
      expect.objectContaining({ MessageSid: sid, MessageStatus, To: phone }),
    ),
  );
  expect(firm.heard[0]?.path).toBe('/webhooks/sms?attempt=7');

  const photo = await firm.simulator.file('a.jpg', 'image/jpeg', Buffer.from('jpg'));
  await firm.simulator.write(phone, { channel: 'SMS', text: 'Ça va?', files: [photo] });
  await eventually(() => expect(smsForms(firm.heard, PUBLIC_URL)).toHaveLength(3));
  const form = smsForms(firm.heard, PUBLIC_URL).at(-1);
  expect(form).toMatchObject({ From: phone, To: '+447700900100', Body: 'Ça va?', NumMedia: '1' });
  const media = String(form?.MediaUrl0);
  expect((await fetch(media)).status).toBe(401);
  expect(await (await fetch(media, { headers: basic })).text()).toBe('jpg');
});

test.each([
  ['to no number', { To: '12', Body: 'x' }, 21211],
  ['from a number that is not the firm’s', { From: '+447700900999', Body: 'x' }, 21606],
  ['without words', {}, 21602],
])('an SMS %s is refused with the provider’s code', async (_how, fields, code) => {
  const answer = await sendSms(fields as Record<string, string>);
  expect([answer.status, ((await answer.json()) as { code: number }).code]).toEqual([400, code]);
});

test('a mail arrives whole; the answer goes to where the firm wants answers, in the thread, with the quote', async () => {
  const messageId = '<0192d7a0-0000-7000-8000-000000000001@example.com>';
  const attachments = [{ filename: 'form.pdf', content: '%PDF' }];
  const reply = {
    replyTo: 'office+abc@example.com',
    inReplyTo: '<q@mail.example.com>',
    references: '<q@mail.example.com>',
  };
  await sendMail({ subject: 'Permit', text: 'Please sign.', messageId, attachments, ...reply });
  const [mail] = await firm.simulator.messages('one@example.com');
  expect(mail).toMatchObject({
    subject: 'Permit',
    text: 'Please sign.',
    external_id: messageId,
    reply_to: '<q@mail.example.com>',
  });
  expect(mail?.files).toEqual([expect.objectContaining({ name: 'form.pdf' })]);

  await firm.simulator.write('one@example.com', { channel: 'EMAIL', text: 'Signed.', reply_to: String(mail?.id) });
  await eventually(() => expect(firm.heard).toHaveLength(1));
  const { path, headers, body } = firm.heard[0] as TestFirm['heard'][number];
  expect([path, headers['content-type']]).toEqual(['/webhooks/email/mime', 'message/rfc822']);
  expect(headers.authorization).toBe(`Basic ${Buffer.from('mime:password-of-tests').toString('base64')}`);
  for (const line of [
    'Subject: Re: Permit',
    'To: office+abc@example.com',
    `In-Reply-To: ${messageId}`,
    '> Please sign.',
  ])
    expect(body).toContain(line);
  expect(body.replaceAll(/\r\n\s/g, ' ')).toContain(`References: <q@mail.example.com> ${messageId}`);
});

test('messages and requests are known by the firm’s own attempt', async () => {
  const attempt = (n: number) => `0192d7a0-0000-7000-8000-00000000000${n}`;
  const before = (await firm.simulator.journal()).length;
  const askedBefore = (await firm.simulator.requests()).length;
  await sendCloud({ ...text('x'), biz_opaque_callback_data: attempt(1) });
  await sendSms({ Body: 'x', StatusCallback: `${firm.settings.PUBLIC_URL}/webhooks/sms?attempt=${attempt(2)}` });
  await sendMail({ text: 'x', messageId: `<${attempt(3)}@example.com>` });
  const journal = (await firm.simulator.journal()).slice(before);
  const asked = (await firm.simulator.requests()).slice(askedBefore);
  for (const entries of [journal, asked])
    expect(entries.map(({ attempt_id }) => attempt_id)).toEqual([attempt(1), attempt(2), attempt(3)]);
});

test('an address that is refused, or cannot be reached, says so as its provider does', async () => {
  await firm.simulator.faults({ refused: { [phone]: 131026, 'one@example.com': 550 } });
  expect(await (await sendCloud(text('x'))).json()).toMatchObject({ error: { code: 131026 } });
  await expect(sendMail({ text: 'x' })).rejects.toMatchObject({ responseCode: 550 });
  await firm.simulator.faults({ undeliverable: { [phone]: 131047, 'one@example.com': 550 } });
  await sendCloud(text('x'));
  await eventually(() => expect(statuses()).toHaveLength(1));
  expect(statuses()[0]).toMatchObject({ status: 'failed', errors: [{ code: 131047 }] });
  await sendMail({ text: 'x', messageId: '<gone@example.com>' });
  await eventually(() => expect(firm.heard.at(-1)?.body).toContain('multipart/report'));
  expect(firm.heard.at(-1)?.body).toContain('Message-ID: <gone@example.com>');
});

test('what is failed, throttled or left hanging is not taken; what is cut off is; each was asked for', async () => {
  const taken = async () => (await firm.simulator.journal()).length;
  const before = await taken();
  const askedBefore = (await firm.simulator.requests()).length;
  await firm.simulator.faults({ fail_rate: 1, fail_status: 503 });
  expect((await sendCloud(text('x'))).status).toBe(503);
  await expect(sendMail({ text: 'x' })).rejects.toMatchObject({ responseCode: 451 });
  await firm.simulator.faults({ throttle_rate: 1, retry_after: 7 });
  expect((await sendSms({ Body: 'x' })).headers.get('retry-after')).toBe('7');
  await expect(sendMail({ text: 'x' })).rejects.toMatchObject({ responseCode: 421 });
  await firm.simulator.faults({ hang_rate: 1 });
  await expect(sendCloud(text('x'))).rejects.toThrow();
  expect(await taken()).toBe(before);
  await firm.simulator.faults({ cut_rate: 1 });
  await expect(sendCloud(text('x'))).rejects.toThrow();
  await expect(sendMail({ text: 'x' })).rejects.toThrow();
  expect(await taken()).toBe(before + 2);
  const asked = (await firm.simulator.requests()).slice(askedBefore);
  expect(asked.map(({ channel, fate }) => `${channel} ${fate}`)).toEqual([
    'MESSAGING_APP fail',
    'EMAIL fail',
    'SMS throttle',
    'EMAIL throttle',
    'MESSAGING_APP hang',
    'MESSAGING_APP cut',
    'EMAIL cut',
  ]);
});

test('receipts can come early, twice and not at all', async () => {
  await firm.simulator.faults({ receipt_early_rate: 1, receipt_duplicate_rate: 1, read_rate: 1 });
  await sendCloud(text('x'));
  expect(statuses().map(({ status }) => status)).toEqual(['sent', 'sent', 'delivered', 'delivered', 'read', 'read']);
  await firm.simulator.faults({ receipt_drop_rate: 1 });
  await sendCloud(text('x'));
  expect(await firm.simulator.webhooksWaiting()).toBe(0);
  expect(statuses()).toHaveLength(6);
});

test('what the firm does not take comes again, the same bytes, also after a restart; conversations survive it', async () => {
  firm.answer(503);
  const { id } = await firm.simulator.write(phone, { channel: 'MESSAGING_APP', text: 'anybody there?' });
  await eventually(() => expect(firm.heard.length).toBeGreaterThan(1));
  expect(new Set(firm.heard.map(({ body }) => body)).size).toBe(1);
  const before = await firm.simulator.messages(phone);
  await firm.restart();
  firm.heard.length = 0;
  firm.answer(200);
  await eventually(() => expect(said()).toHaveLength(1));
  expect(await firm.simulator.webhooksWaiting()).toBe(0);
  const after = await firm.simulator.messages(phone);
  expect(before.at(-1)).toMatchObject({ id, arrived: false });
  expect(after.at(-1)).toMatchObject({ id, arrived: true });
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  await firm.restart();
  expect(await firm.simulator.webhooksWaiting()).toBe(0);
});

test('nobody can write from an address they do not have', async () => {
  await expect(firm.simulator.write(phone, { channel: 'EMAIL', text: 'x' })).rejects.toThrow(/422/);
  await expect(firm.simulator.write('+447700900404', { channel: 'SMS', text: 'x' })).rejects.toThrow(/422/);
});

test('the firm’s own accounts are shown to whoever has their token, and to nobody else', async () => {
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(firm.simulator.url + path, { headers });
    return { status: answer.status, server: answer.headers.get('server'), body: await answer.json() };
  };
  const server = 'provider-sim';
  const number = await ask('/v23.0/1001', bearer);
  expect(number).toMatchObject({ status: 200, server, body: { id: '1001', quality_rating: 'GREEN' } });
  expect(number.body).not.toHaveProperty('account_mode');
  expect((await ask('/v23.0/1001?fields=account_mode', bearer)).body).toEqual({ id: '1001', account_mode: 'SANDBOX' });
  expect(await ask('/v23.0/me', bearer)).toMatchObject({ status: 200, body: { name: 'Demo Office' } });
  expect(await ask('/v23.0/1001', { authorization: 'Bearer other' })).toMatchObject({
    status: 401,
    body: { error: { code: 190, type: 'OAuthException' } },
  });
  const account = '/2010-04-01/Accounts/AC1.json';
  expect(await ask(account, basic)).toMatchObject({ status: 200, server, body: { sid: 'AC1', status: 'active' } });
  expect(await ask(account, {})).toMatchObject({ status: 401, body: { code: 20003, message: 'Authenticate' } });
  await firm.simulator.faults({ fail_rate: 1 });
  expect(await ask('/v23.0/1001', bearer)).toMatchObject({ status: 500 });
  expect(await ask(account, basic)).toMatchObject({ status: 500, body: { code: 20500 } });
});
