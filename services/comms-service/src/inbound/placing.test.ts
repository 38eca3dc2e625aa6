import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let tests = 0;
let path = '';
let user = '';
let phone = '';

beforeEach(async () => {
  tests += 1;
  path = `/ops/customers/C-${tests}`;
  user = `US.${tests}`;
  phone = `+4477009001${String(tests).padStart(2, '0')}`;
  await put({ phones: [phone] });
  await service.forgetEvents();
});

const put = (body: object, to = path) => service.put<Customer>(staff, to, { name: 'Ada Demo', ...body });
const customer = async (of = path) => (await service.get<Customer>(staff, of)).body;
const log = async (of = path) =>
  (await service.get<Page<Communication>>(staff, `${of}/communications?limit=200`)).body.data;

test('a number is found in whatever way its country writes it', async () => {
  await put({ phones: ['+5511987654321', '+525587654321', '+541187654321'] });
  const numbers = ['+551187654321', '+5215587654321', '+5491187654321'];
  await taken(service, ...numbers.map((one) => said({ sender: { phone: one } })));
  expect(await log()).toHaveLength(3);
  expect((await customer()).phones).toHaveLength(3);
});

test('an e-mail is placed by its address in any letter case', async () => {
  await put({ emails: ['ada@example.com'] });
  await taken(service, said({ channel: 'EMAIL', sender: { email: 'Ada@EXAMPLE.com' } }));
  expect(await log()).toMatchObject([{ type: 'EMAIL', provider: 'postmark' }]);
});

test('the text of an e-mail is shown, what it quotes is kept apart', async () => {
  await put({ emails: [`quoting${tests}@example.com`] });
  const body =
    'Tuesday suits me.\n\nOn Mon, 2 Mar 2026 at 10:00, Office <office@example.com> wrote:\n> Does Tuesday suit?';
  await taken(
    service,
    said({ channel: 'EMAIL', sender: { email: `quoting${tests}@example.com` }, body, subject: 'Re: date' }),
  );
  const [record] = await log();
  expect(record).toMatchObject({ subject: 'Re: date', quoted: expect.stringContaining('Does Tuesday suit?') });
  expect(record?.body).not.toContain('Does Tuesday');
});

test('the user id of a known phone is learned, and is enough from then on', async () => {
  await taken(service, said({ sender: { phone, user_id: user } }));
  expect((await customer()).user_ids).toEqual([user]);
  const changed = (await service.events()).filter(({ type }) => type === 'customer.changed');
  expect(changed).toMatchObject([{ data: { customer_id: `C-${tests}`, version: 2, user_ids: [user] } }]);
  await taken(service, said({ sender: { user_id: user } }), said({ sender: { user_id: user, phone: `${phone}9` } }));
  expect(await log()).toHaveLength(3);
  expect((await customer()).phones).toEqual([phone, `${phone}9`]);
});

test('what came by user id alone before it was known whose that is, is claimed when it is', async () => {
  const early = said({ sender: { user_id: user } });
  await taken(service, early);
  expect(await log()).toEqual([]);
  await taken(service, said({ sender: { phone, user_id: user } }));
  expect((await log()).map(({ id }) => id)).toContain(early.item_id);
  expect(await service.db('inbound_messages').where({ communication_id: early.item_id })).toMatchObject([
    { linked_by: null, linked_to: `C-${tests}` },
  ]);
});

test('a user id of one customer and the phone of another wait for a person', async () => {
  await taken(service, said({ sender: { phone, user_id: user } }));
  await put({ phones: [`${phone}0`] }, '/ops/customers/other');
  const mixed = said({ sender: { phone: `${phone}0`, user_id: user } });
  await taken(service, mixed);
  expect(await service.db('inbound_messages').where({ communication_id: mixed.item_id })).toMatchObject([
    { reason: 'ambiguous' },
  ]);
});

test('who changes their number or user id is known by the new one as well; the notice itself is in the log if it has words', async () => {
  await taken(service, said({ sender: { phone, user_id: user } }));
  const new_identity = { phone: `${phone}5`, user_id: null };
  await taken(service, said({ sender: { phone }, body: 'Changed their number', new_identity }));
  await taken(
    service,
    said({ kind: 'identity', sender: { user_id: user }, body: '', new_identity: { phone: null, user_id: `${user}b` } }),
  );
  expect(await customer()).toMatchObject({ phones: [phone, `${phone}5`], user_ids: [user, `${user}b`] });
  expect((await log()).map(({ body }) => body).sort()).toEqual(['Changed their number', 'Hello']);
  await taken(service, said({ sender: { phone: `${phone}5` } }), said({ sender: { user_id: `${user}b` } }));
  expect(await log()).toHaveLength(4);
});

test("a new number that is somebody else's stays theirs", async () => {
  await put({ phones: [`${phone}1`] }, '/ops/customers/neighbour');
  await taken(service, said({ sender: { phone }, new_identity: { phone: `${phone}1`, user_id: null } }));
  expect((await customer()).phones).toEqual([phone]);
});

test('an identifier the firm takes back keeps what was logged by it', async () => {
  await taken(service, said({ sender: { phone } }));
  await put({ phones: [] });
  await taken(service, said({ sender: { phone } }));
  expect(await log()).toHaveLength(1);
});

test('files are named by the record, and waited for by their own job', async () => {
  const file = { content_id: null, size: 3, source: 'ingest' as const };
  const parts = [
    {
      ...file,
      ref: '0195c4e0-0000-7000-8000-00000000000a',
      role: 'html' as const,
      name: null,
      media_type: 'text/html',
    },
    {
      ...file,
      ref: '0195c4e0-0000-7000-8000-00000000000b',
      role: 'file' as const,
      name: 'permit.pdf',
      media_type: 'application/pdf',
    },
  ];
  const message = said({ sender: { phone }, parts });
  await taken(service, message);
  await taken(service, message);
  expect(await log()).toMatchObject([{ attachments: [{ name: 'permit.pdf', media_type: 'application/pdf' }] }]);
  expect(await service.db('attachments').where({ communication_id: message.item_id })).toHaveLength(2);
});

test('a late message that is older than what the person has seen stays unread', async () => {
  await taken(service, said({ sender: { phone }, occurred_at: '2026-03-01T12:00:00Z' }));
  const [seen] = await log();
  await taken(service, said({ sender: { phone }, occurred_at: '2026-02-01T12:00:00Z' }));
  const answer = await service.patch(staff, `${path}/communications/read`, { up_to: seen?.id });
  expect(answer).toMatchObject({ status: 200, body: { marked_read: 1, unread_count: 1 } });
});

test('a message that is linked later than the newest the person has seen stays unread', async () => {
  const waiting = said({ sender: { phone: `${phone}7` } });
  await taken(service, waiting);
  const seen = said({ sender: { phone } });
  await taken(service, seen);
  await service.post(staff, `/ops/unmatched/${waiting.item_id}/link`, { customer_id: `C-${tests}` });
  const answer = await service.patch(staff, `${path}/communications/read`, { up_to: seen.item_id });
  expect(answer).toMatchObject({ status: 200, body: { marked_read: 1, unread_count: 1 } });
});

test('STOP stops machines on its channel, the newest word counts, and it stays with its address when it is refiled', async () => {
  const word = (body: string, occurred_at: string, channel: 'SMS' | 'MESSAGING_APP' = 'SMS') =>
    said({ sender: { phone }, body, occurred_at, channel });
  const stop = word('STOP', '2026-03-03T00:00:00Z');
  await taken(service, stop, word('START', '2026-03-02T00:00:00Z'));
  expect((await customer()).opted_out).toEqual(['SMS']);
  expect((await service.events()).filter(({ type }) => type === 'customer.changed')).toMatchObject([
    { data: { opted_out: ['SMS'] } },
  ]);
  await taken(service, word('stop', '2026-03-03T00:00:00Z', 'MESSAGING_APP'), word('START', '2026-03-01T00:00:00Z'));
  expect((await customer()).opted_out).toEqual(['MESSAGING_APP', 'SMS']);
  await put({}, '/ops/customers/whose-word');
  await service.post(staff, `/ops/communications/${stop.item_id}/move`, { customer_id: 'whose-word' });
  expect((await customer()).opted_out).toEqual(['MESSAGING_APP', 'SMS']);
  expect((await customer('/ops/customers/whose-word')).opted_out).toEqual([]);
});

test('STOP above the mail that is answered, or in an answer that a program signed, stops machines', async () => {
  const quote = 'On Tue, 5 May 2026 at 10:04, Office <office@example.com> wrote:\n> Your permit expires.';
  for (const [index, rest] of [quote, `${quote}\n\n-- \nAda Demo\n+44 7700 900123`, 'Sent from my iPhone'].entries()) {
    const email = `stops-${index}-${tests}@example.com`;
    await put({ emails: [email] });
    await taken(service, said({ channel: 'EMAIL', sender: { address: email, email }, body: `STOP\n\n${rest}` }));
    expect([rest, (await customer()).opted_out]).toEqual([rest, ['EMAIL']]);
    await taken(service, said({ channel: 'EMAIL', sender: { address: email, email }, body: 'START' }));
    expect((await customer()).opted_out).toEqual([]);
  }
});

test('STOP stops machines as well when somebody writes it down', async () => {
  const posted = { type: 'SMS', direction: 'INBOUND', body: 'Stop' };
  const { body: stop } = await service.post<Communication>(staff, `${path}/communications`, posted);
  await service.post(staff, `${path}/communications`, { ...posted, type: 'EMAIL', direction: 'OUTBOUND' });
  expect((await customer()).opted_out).toEqual(['SMS']);
  const told = (await service.events()).filter(({ type }) => type === 'customer.changed');
  expect(told).toMatchObject([{ data: { opted_out: ['SMS'] } }]);
  await put({ phones: [`${phone}1`] }, '/ops/customers/whose-posted-word');
  await service.post(staff, `/ops/communications/${stop.id}/move`, { customer_id: 'whose-posted-word' });
  expect((await customer()).opted_out).toEqual([]);
  expect((await customer('/ops/customers/whose-posted-word')).opted_out).toEqual(['SMS']);
});
