import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { deskOf, from } from '../../test/desk.ts';
import { taken } from '../../test/message.ts';
import { automation, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;
let desk: ReturnType<typeof deskOf>;

beforeAll(async () => {
  service = await startTestService();
  desk = deskOf(service);
});
afterAll(() => service.close());

let stranger = '';
let ada = '';
let bob = '';

beforeEach(async () => {
  ({ stranger, ada, bob } = await desk.people());
  await service.forgetEvents();
});

const all = '&limit=200';
const stateOf = async (id: string) => {
  for (const state of ['waiting', 'linked', 'dismissed'] as const)
    if (await desk.find(id, `?state=${state}${all}`)) return state;
  return undefined;
};
const statesOf = (...messages: { item_id: string }[]) => Promise.all(messages.map(({ item_id }) => stateOf(item_id)));

test('a sender who means nobody here is dismissed with all they wrote and write later, until that is undone', async () => {
  const [first, second] = [from(stranger), from(stranger)];
  await taken(service, first, second);
  await service.forgetEvents();
  const { status, body } = await desk.dismiss(first.item_id);
  expect(status).toBe(200);
  expect(body.unmatched).toMatchObject({ id: first.item_id, state: 'dismissed', dismissed_by: staff.sub });
  expect(new Set(body.together)).toEqual(new Set([first.item_id, second.item_id]));
  expect((await service.events()).map(({ type, data }) => [type, data.change, data.customer_id])).toEqual(
    [1, 2].map(() => ['communication.changed', 'dismissed', null]),
  );
  expect(await desk.history(second.item_id)).toMatchObject([{ change: 'dismissed', actor: staff.sub }]);
  const later = from(stranger);
  await taken(service, later);
  expect(await statesOf(first, second, later)).toEqual(['dismissed', 'dismissed', 'dismissed']);
  expect((await service.events()).map(({ type }) => type)).not.toContain('COMMUNICATION_RECEIVED');

  expect((await desk.restore(later.item_id)).body.together).toHaveLength(3);
  await taken(service, from(stranger));
  expect(await statesOf(first, second, later)).toEqual(['waiting', 'waiting', 'waiting']);
  expect((await desk.history(first.item_id)).map(({ change }) => change)).toEqual(['restored', 'dismissed']);
});

test('said again it changes nothing; what is somebody’s, is not there or is not for staff is refused', async () => {
  const [message, linked] = [from(stranger), from(`${stranger}9`)];
  await taken(service, message, linked);
  const { body: once } = await desk.dismiss(message.item_id);
  await service.forgetEvents();
  expect((await desk.dismiss(message.item_id)).body).toEqual(once);
  await desk.link(linked.item_id, ada);
  await service.forgetEvents();
  expect(await desk.dismiss(linked.item_id)).toMatchObject({ status: 409 });
  expect((await desk.restore(linked.item_id)).body.unmatched).toMatchObject({ state: 'linked' });
  expect(await service.events()).toEqual([]);
  expect(await desk.dismiss(uuidv7())).toMatchObject({ status: 404 });
  expect(await desk.restore(uuidv7())).toMatchObject({ status: 404 });
  expect(await service.post(automation, `/ops/unmatched/${message.item_id}/dismiss`)).toMatchObject({ status: 403 });
});

test('whoever turns out to be a customer is heard: by a link, or when a customer gets the number', async () => {
  const [linked, claimed] = [from(stranger), from(`${stranger}8`)];
  await taken(service, linked, claimed);
  for (const { item_id } of [linked, claimed]) await desk.dismiss(item_id);
  await desk.link(linked.item_id, ada);
  await desk.put(bob, { name: 'Bob Demo', phones: [`${stranger}8`] });
  expect(await statesOf(linked, claimed)).toEqual(['linked', 'linked']);
  expect((await desk.log(bob)).unread_count).toBe(1);
  await desk.unlink(linked.item_id);
  expect(await stateOf(linked.item_id)).toBe('waiting');
});

test('of an address that customers share, and of a forged mail, it is the one message', async () => {
  for (const id of [ada, bob]) await desk.put(id, { name: 'Demo', phones: [stranger] });
  const sender = { email: 'ghost@example.com' };
  const forged = () => from('', { channel: 'EMAIL', sender: { ...sender, phone: null }, sender_verified: 'fail' });
  const messages = [from(stranger), from(stranger), forged(), forged()] as const;
  await taken(service, ...messages);
  for (const { item_id } of [messages[0], messages[2]])
    expect((await desk.dismiss(item_id)).body.together).toEqual([item_id]);
  expect(await statesOf(...messages)).toEqual(['dismissed', 'waiting', 'dismissed', 'waiting']);
  const later = [from(stranger), forged(), from('', { channel: 'EMAIL', sender: { ...sender, phone: null } })] as const;
  await taken(service, ...later);
  expect(await statesOf(...later)).toEqual(['waiting', 'waiting', 'waiting']);
});

test('whatever people do at once with one sender, every message is in one place, and no link is lost', async () => {
  let run = 0;
  const deeds = fc.array(fc.constantFrom('dismiss', 'restore', 'link', 'unlink', 'write'), {
    minLength: 2,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(deeds, async (chosen) => {
      run += 1;
      const phone = `+4477009${String(run).padStart(2, '0')}${stranger.slice(-3)}`;
      const first = from(phone);
      await taken(service, first);
      const written = [first];
      const asked = { dismiss: desk.dismiss, restore: desk.restore, unlink: desk.unlink };
      const answers = await Promise.all(
        chosen.map(async (deed) => {
          if (deed === 'link') return (await desk.link(first.item_id, ada)).status;
          if (deed !== 'write') return (await asked[deed](first.item_id)).status;
          const more = from(phone);
          written.push(more);
          await taken(service, more);
          return 200;
        }),
      );
      expect(answers.filter((status) => status !== 200 && status !== 409)).toEqual([]);
      const rows = await service.db('communications').whereIn(
        'id',
        written.map(({ item_id }) => item_id),
      );
      const kept = new Set(rows.map((one) => one.customer_id));
      const log = new Set((await desk.log(ada)).data.map(({ id }) => id));
      for (const one of rows) {
        const isTheirs = one.customer_id === ada;
        expect(log.has(one.id)).toBe(isTheirs);
      }
      // All of an unknown sender stand together, wherever that is.
      const unplaced = rows.filter((one) => one.customer_id === null).map(({ id }) => ({ item_id: id }));
      expect(new Set(await statesOf(...unplaced)).size).toBeLessThanOrEqual(1);
      expect(kept.size).toBeLessThanOrEqual(1);
      await desk.unlink(first.item_id);
    }),
    { numRuns: 12 },
  );
});
