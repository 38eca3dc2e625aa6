import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import { deskOf } from '../../test/desk.ts';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let desk: ReturnType<typeof deskOf>;

beforeAll(async () => {
  service = await startTestService();
  desk = deskOf(service);
});
afterAll(() => service.close());

let ada = '';
let email = '';

beforeEach(async () => {
  const people = await desk.people();
  ada = people.ada;
  email = `ada${people.turn}@example.com`;
  await desk.put(ada, { name: 'Ada Demo', emails: [email] });
  await service.forgetEvents();
});

const mail = (more: Parameters<typeof said>[0] = {}) => said({ channel: 'EMAIL', sender: { email }, ...more });
const forged = (more: Parameters<typeof said>[0] = {}) => mail({ sender_verified: 'fail', ...more });
const bodies = async () => (await desk.log(ada)).data.map(({ body }) => body);

test('a mail in a customer’s name that the sender’s domain disowns waits, and is told as theirs at most', async () => {
  const message = forged({ body: 'STOP', recipient: 'office@firm.example' });
  await taken(service, message);
  expect(await desk.find(message.item_id)).toMatchObject({
    reason: 'unverified',
    state: 'waiting',
    automatic: false,
    recipient: 'office@firm.example',
    candidates: [{ customer_id: ada, because: 'identifier' }],
  });
  expect((await service.events()).map(({ type, data }) => [type, data.customer_id])).toEqual([
    ['communication.changed', null],
  ]);
  expect(await desk.customer(ada)).toMatchObject({ opted_out: [], unread_count: 0 });
});

test.each(['pass', 'unknown'] as const)('one whose verdict is %s is believed', async (sender_verified) => {
  await taken(service, mail({ sender_verified, body: 'STOP' }));
  expect(await desk.customer(ada)).toMatchObject({ opted_out: ['EMAIL'], unread_count: 1 });
});

test('our reply token does not help it', async () => {
  const answered = { type: 'EMAIL', direction: 'OUTBOUND', body: 'Your permit' };
  const sent = await service.post<Communication>(staff, `/ops/customers/${ada}/communications`, answered);
  const message = forged({ answers: { token: sent.body.id.replaceAll('-', '') } });
  await taken(service, message);
  expect(await desk.find(message.item_id)).toMatchObject({ reason: 'unverified', state: 'waiting' });
  expect(await bodies()).toEqual(['Your permit']);
});

test('linked, it is filed alone: it teaches no address, opts nobody out, and takes no other along', async () => {
  const stranger = `x.${email}`;
  const [one, other, honest] = [
    forged({ sender: { email: stranger }, body: 'STOP' }),
    forged({ sender: { email: stranger } }),
    mail({ sender: { email: stranger } }),
  ];
  await taken(service, one, other, honest);
  const { body } = await desk.link(one.item_id, ada);
  expect(body).toMatchObject({ moved: [one.item_id], identifier_learned: false });
  expect(await bodies()).toEqual(['STOP']);
  expect(await desk.customer(ada)).toMatchObject({ opted_out: [], emails: [email], unread_count: 1 });
  expect((await desk.unlink(one.item_id)).body).toMatchObject({ moved: [one.item_id] });
  expect(await desk.find(one.item_id)).toMatchObject({ reason: 'unverified', state: 'waiting' });
});

test('no new identifier claims it, and nobody who is linked takes it along', async () => {
  const stranger = `x.${email}`;
  const [lie, honest] = [forged({ sender: { email: stranger } }), mail({ sender: { email: stranger } })];
  await taken(service, lie, honest);
  expect((await desk.link(honest.item_id, ada)).body).toMatchObject({ moved: [honest.item_id] });
  await desk.put(ada, { name: 'Ada Demo', emails: [email, stranger] });
  await taken(service, mail({ sender: { email: stranger } }));
  expect(await desk.find(lie.item_id)).toMatchObject({ state: 'waiting' });
  expect((await desk.log(ada)).data).toHaveLength(2);
});

test('an answer to it goes to the customer, and not where the forger wants it', async () => {
  const message = forged({ reply_to: 'eve@evil.example' });
  await taken(service, message);
  await desk.link(message.item_id, ada);
  await service.forgetEvents();
  const answer = { type: 'EMAIL', direction: 'OUTBOUND', body: 'Hello', in_reply_to: message.item_id };
  await service.post(staff, `/ops/customers/${ada}/communications`, answer);
  const [queued] = (await service.events()).filter(({ type }) => type === 'communication.queued');
  expect(queued?.data).toMatchObject({ to: email });
});
