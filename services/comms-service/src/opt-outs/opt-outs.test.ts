import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { SendPermission } from '@ops/contracts/internal-routes';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer, OptOut } from '@ops/contracts/resources/customer';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import fc from 'fast-check';
import { said, taken } from '../../test/message.ts';
import { customer as asCustomer, automation, staff, startTestService, type TestService } from '../../test/service.ts';
import type { DeliveryUpdate } from '../delivery-status/delivery.rules.ts';
import type { ProviderMessage } from '../inbound/inbound.rules.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let people = 0;
let id = '';
let path = '';
let [first, second, email] = ['', '', ''];

beforeEach(async () => {
  people += 1;
  id = `C-${people}`;
  path = `/ops/customers/${id}`;
  const n = String(people).padStart(3, '0');
  [first, second, email] = [`+447700900${n}`, `+447700901${n}`, `ada${n}@example.com`];
  await put({ phones: [first, second], emails: [email] });
  await service.forgetEvents();
});

const put = (body: object, to = path) => service.put<Customer>(staff, to, { name: 'Ada Demo', ...body });
const customer = async (of = path) => (await service.get<Customer>(staff, of)).body;
const decisions = async (of = path) => (await service.get<Page<OptOut>>(staff, `${of}/opt-outs`)).body.data;
const set = (body: object, to = path, who = staff) => service.put<Customer>(who, `${to}/opt-outs`, body);

const sms = (phone: string, body: string, rest: Parameters<typeof said>[0] = {}) =>
  said({ channel: 'SMS', sender: { phone }, body, ...rest });

const optedOutOf = async (value: string, of = path) =>
  Object.keys((await customer(of)).identifiers.find((one) => one.value === value)?.opted_out ?? {});

test('STOP is about the address that wrote it: the primary one stops the channel, a second one does not', async () => {
  await taken(service, sms(second, 'STOP'));
  expect(await customer()).toMatchObject({ opted_out: [] });
  expect(await optedOutOf(second)).toEqual(['SMS']);
  expect(await optedOutOf(first)).toEqual([]);
  await taken(service, sms(first, 'stop'));
  expect(await customer()).toMatchObject({
    opted_out: ['SMS'],
    identifiers: [
      {
        kind: 'phone',
        value: first,
        primary: true,
        source: 'given',
        opted_out: { SMS: { at: '2026-03-01T12:00:00.000000Z', source: 'words' } },
      },
      { kind: 'phone', value: second, primary: false, source: 'given' },
      { kind: 'email', value: email, primary: true, opted_out: {} },
    ],
  });
  const changed = (await service.events()).filter(({ type }) => type === 'customer.changed');
  expect(changed.map(({ data }) => data.opted_out)).toEqual([[], ['SMS']]);
});

test('an order of numbers that makes another one the primary goes by what that one asked for', async () => {
  await taken(service, sms(first, 'STOP'));
  expect((await put({ phones: [second, first], emails: [email] })).body.opted_out).toEqual([]);
});

test('a STOP holds for whoever has the address: several who share it, and who gets it later', async () => {
  await put({ phones: [first] }, `${path}-spouse`);
  await service.forgetEvents();
  await taken(service, sms(first, 'STOP'));
  expect((await customer()).opted_out).toEqual(['SMS']);
  expect((await customer(`${path}-spouse`)).opted_out).toEqual(['SMS']);
  const told = (await service.events()).filter(({ type }) => type === 'customer.changed');
  expect(told.map(({ subject }) => subject).sort()).toEqual([id, `${id}-spouse`]);

  await taken(service, sms('+5511987650001', 'STOP'));
  const { body } = await put({ phones: ['+551187650001'] }, `${path}-later`);
  expect(body.opted_out).toEqual(['SMS']);
  expect((await service.events()).at(-1)?.data).toMatchObject({ opted_out: ['SMS'] });
});

test('what a person writes down as STOP, and what was kept before addresses were, is about all of the channel', async () => {
  await service.post(staff, `${path}/communications`, { type: 'SMS', direction: 'INBOUND', body: 'Stop' });
  expect(await optedOutOf(first)).toEqual(['SMS']);
  expect(await optedOutOf(second)).toEqual(['SMS']);
  await taken(service, sms(second, 'START', { occurred_at: new Date().toISOString() }));
  expect(await optedOutOf(second)).toEqual([]);
  expect((await customer()).opted_out).toEqual(['SMS']);

  const record = said({ channel: 'EMAIL', sender: { email } });
  await taken(service, record);
  // As the version before writes it.
  await service.db('opt_outs').insert({
    communication_id: record.item_id,
    customer_id: id,
    channel: 'EMAIL',
    opted_out: true,
    decided_at: new Date(),
  });
  expect((await customer()).opted_out).toEqual(['EMAIL', 'SMS']);
});

test("a provider's own word counts before the words of the message", async () => {
  await taken(service, sms(first, 'GENUG', { opted_out: true }));
  expect((await customer()).identifiers[0]?.opted_out).toMatchObject({ SMS: { source: 'provider' } });
  await taken(service, sms(first, 'DOCH', { opted_out: false, occurred_at: '2026-03-02T00:00:00Z' }));
  expect((await customer()).opted_out).toEqual([]);
});

const preference = (rest: Parameters<typeof said>[0]) => said({ kind: 'preference', body: '', ...rest });

test('a preference without a message is no record, and holds for its address, known or not', async () => {
  const told = preference({ sender: { phone: first, user_id: `US.${people}` }, opted_out: true });
  await taken(service, told);
  await taken(service, told);
  expect(await service.db('communications').where({ id: told.item_id })).toEqual([]);
  expect((await customer()).opted_out).toEqual(['MESSAGING_APP']);
  expect(await decisions()).toMatchObject([
    { channel: 'MESSAGING_APP', kind: 'phone', value: first, opted_out: true, source: 'provider' },
  ]);
  await put({ phones: ['+447700902001'] }, `${path}-new`);
  await taken(service, preference({ sender: { phone: '+447700902002' }, opted_out: true }));
  await put({ phones: ['+447700902002'] }, `${path}-new`);
  expect((await customer(`${path}-new`)).opted_out).toEqual(['MESSAGING_APP']);
});

test('a complaint counts if it names a mail of ours to that address', async () => {
  const { body: mail } = await service.post<Communication>(staff, `${path}/communications`, {
    type: 'EMAIL',
    direction: 'OUTBOUND',
    subject: 'Permit',
    body: 'Hello',
  });
  await service
    .db('communications')
    .where({ id: mail.id })
    .update({ provider_message_id: `<${id}@ours.example>` });
  const complaint = (sender: string, named: string) =>
    preference({ channel: 'EMAIL', sender: { email: sender }, opted_out: true, answers: { external_ids: [named] } });
  await taken(service, complaint(email, '<other@ours.example>'));
  await taken(service, complaint('bob@example.com', `<${id}@ours.example>`));
  expect(await service.db('opt_outs').where({ source: 'complaint' })).toEqual([]);
  await taken(service, complaint(email.toUpperCase(), `<${id}@ours.example>`));
  expect(await decisions()).toMatchObject([{ channel: 'EMAIL', value: email, source: 'complaint' }]);
  expect((await customer()).opted_out).toEqual(['EMAIL']);
});

test('what a machine wrote opts nobody out', async () => {
  await taken(service, said({ channel: 'EMAIL', sender: { email }, body: 'STOP', automatic: true }));
  expect(await decisions()).toEqual([]);
});

test('a provider that refuses our message because its recipient unsubscribed opts that address out', async () => {
  const { body: record } = await service.post<Communication>(staff, `${path}/communications`, {
    type: 'SMS',
    direction: 'OUTBOUND',
    body: 'Hello',
  });
  const failed = {
    communication_id: record.id,
    customer_id: id,
    attempt: 1,
    attempt_id: uuidv7(),
    provider: 'twilio',
    occurred_at: new Date().toISOString(),
    status: 'FAILED',
    provider_message_id: null,
    unsubscribed: second,
    failure: { code: 'twilio:21610', message: 'Attempt to send to unsubscribed recipient' },
  } satisfies DeliveryUpdate;
  const event = {
    specversion: '1.0',
    id: uuidv7(),
    source: 'notifier',
    subject: id,
    time: failed.occurred_at,
  } as const;
  await service.bus.publish([{ event: { ...event, type: 'delivery.updated', data: failed } }]);
  await eventually(async () => expect(await optedOutOf(second)).toEqual(['SMS']));
  expect(await decisions()).toMatchObject([{ source: 'provider', value: second, communication_id: record.id }]);
  expect((await customer()).opted_out).toEqual([]);
  const history = await service.get<Page<unknown>>(staff, `/ops/communications/${record.id}/history`);
  expect(history.body.data).toHaveLength(1);
  expect(JSON.stringify(history.body.data)).not.toContain(second);
});

test('staff set and lift it for one address, with a reason; the same again changes nothing', async () => {
  const wish = { kind: 'phone', value: first, channel: 'SMS', opted_out: true, reason: 'Asked on the phone' };
  const { status, body } = await set(wish);
  expect({ status, opted_out: body.opted_out, version: body.version }).toEqual({
    status: 200,
    opted_out: ['SMS'],
    version: 2,
  });
  expect((await set({ ...wish, value: first.replace('+44', '+44 ') })).body.version).toBe(2);
  expect(await decisions()).toMatchObject([
    { kind: 'phone', value: first, opted_out: true, source: 'staff', by: staff.sub, reason: 'Asked on the phone' },
  ]);
  expect((await set({ ...wish, opted_out: false, reason: 'Asked for them again' })).body.opted_out).toEqual([]);
  expect(await optedOutOf(first)).toEqual([]);
  expect((await decisions()).map((one) => [one.opted_out, one.reason])).toEqual([
    [false, 'Asked for them again'],
    [true, 'Asked on the phone'],
  ]);
  const told = (await service.events()).filter(({ type }) => type === 'customer.changed');
  expect(told.map(({ data }) => data.opted_out)).toEqual([['SMS'], []]);
});

test('what staff set holds though the clock of whoever wrote before is ahead of ours', async () => {
  const ahead = new Date(Date.now() + 300_000).toISOString();
  await taken(service, sms(first, 'START', { occurred_at: ahead }));
  const wish = { kind: 'phone', value: first, channel: 'SMS', opted_out: true, reason: 'Asked on the phone' };
  expect((await set(wish)).body.opted_out).toEqual(['SMS']);
});

test('an address that is not theirs, a channel that does not go to it, and who may not are refused', async () => {
  const wish = { kind: 'phone', value: first, channel: 'SMS', opted_out: true, reason: 'Asked' };
  const problems = async (change: object) => (await set({ ...wish, ...change })).body as unknown as Problem;
  expect(await problems({ value: '+447700909999' })).toMatchObject({ status: 422, errors: [{ path: 'value' }] });
  expect(await problems({ value: 'no number' })).toMatchObject({ status: 422, errors: [{ path: 'value' }] });
  expect(await problems({ channel: 'EMAIL' })).toMatchObject({ status: 422, errors: [{ path: 'channel' }] });
  expect(await problems({ reason: '' })).toMatchObject({ status: 422, errors: [{ path: 'reason' }] });
  expect(await problems({ reason: undefined })).toMatchObject({ status: 422 });
  expect((await set(wish, '/ops/customers/nobody')).status).toBe(404);
  expect((await service.get(staff, '/ops/customers/nobody/opt-outs')).status).toBe(404);
  for (const actor of [automation, asCustomer(id)]) {
    expect((await set(wish, path, actor)).status).toBe(403);
    expect((await service.get(actor, `${path}/opt-outs`)).status).toBe(403);
  }
  expect(await decisions()).toEqual([]);
});

test('decisions come in pages, newest first', async () => {
  const days = [1, 2, 3, 4, 5];
  await taken(
    service,
    ...days.map((day) => sms(first, day % 2 ? 'STOP' : 'START', { occurred_at: `2026-02-0${day}T00:00:00Z` })),
  );
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = new URLSearchParams({ limit: '2', ...(cursor && { cursor }) });
    const { body }: { body: Page<OptOut> } = await service.get(staff, `${path}/opt-outs?${query}`);
    seen.push(...body.data.map(({ at }) => at.slice(9, 10)));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(['5', '4', '3', '2', '1']);
});

test('a message of a machine does not go to an address that opted out; a person may write to it', async () => {
  await set({ kind: 'phone', value: second, channel: 'MESSAGING_APP', opted_out: true, reason: 'Asked' });
  // The window of the second number is open, so that is where the message would go.
  await taken(service, said({ sender: { phone: second }, occurred_at: new Date().toISOString() }));
  const post = { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Hello' };
  const { body: record } = await service.post<Communication>(staff, `${path}/communications`, post);
  const maySend = async () =>
    (await (
      await service.asked('notifier', `/internal/communications/${record.id}/send-permission?attempt=1`)
    ).json()) as SendPermission;
  expect(await maySend()).toMatchObject({ may_send: true, to: second });
  await service.db('communications').where({ id: record.id }).update({ automated: true });
  expect(await maySend()).toMatchObject({ may_send: false, reason: { code: 'opted_out' } });
});

/** Words, preferences and what a provider says of two numbers, at times that never tie. */
const wishes = fc.uniqueArray(
  fc.record({
    minute: fc.nat(59),
    second: fc.boolean(),
    opted_out: fc.boolean(),
    how: fc.constantFrom('words', 'provider', 'preference'),
    channel: fc.constantFrom('SMS', 'MESSAGING_APP'),
  }),
  { selector: ({ minute }) => minute, minLength: 1, maxLength: 8 },
);

test('in whatever order and batches wishes come, the newest of an address and channel counts', async () => {
  let world = 0;
  await fc.assert(
    fc.asyncProperty(
      wishes,
      fc.infiniteStream(fc.nat()),
      fc.integer({ min: 1, max: 4 }),
      async (all, shuffle, size) => {
        world += 1;
        const numbers = [
          `+44771${String(world).padStart(4, '0')}1`,
          `+44771${String(world).padStart(4, '0')}2`,
        ] as const;
        const of = `/ops/customers/W-${world}`;
        await put({ phones: [...numbers] }, of);
        const heard = all.map((one): ProviderMessage => {
          const occurred_at = `2026-03-01T12:${String(one.minute).padStart(2, '0')}:00Z`;
          const common = { channel: one.channel, sender: { phone: numbers[one.second ? 1 : 0] }, occurred_at } as const;
          if (one.how === 'words') return said({ ...common, body: one.opted_out ? 'STOP' : 'START' });
          return said({ ...common, kind: one.how === 'provider' ? 'message' : 'preference', opted_out: one.opted_out });
        });
        const left = heard.toSorted(() => (shuffle.next().value ?? 0) % 2 || -1);
        while (left.length > 0) await taken(service, ...left.splice(0, size));
        const { identifiers, opted_out } = await customer(of);
        const expected = numbers.map((_, n) =>
          (['MESSAGING_APP', 'SMS'] as const).filter(
            (channel) =>
              all
                .filter((one) => one.second === (n === 1) && one.channel === channel)
                .toSorted((one, other) => other.minute - one.minute)[0]?.opted_out,
          ),
        );
        expect(identifiers.map((one) => Object.keys(one.opted_out).sort())).toEqual(expected);
        expect(opted_out).toEqual(expected[0]);
      },
    ),
    { seed: 20_261_123, numRuns: 25 },
  );
});
