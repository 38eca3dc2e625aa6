import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import { said, taken } from '../../test/message.ts';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import type { ProviderMessage } from './inbound.rules.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let tests = 0;
let path = '';
let phone = '';

beforeEach(async () => {
  tests += 1;
  path = `/ops/customers/C-${tests}`;
  phone = `+4477009003${String(tests).padStart(2, '0')}`;
  await service.put(staff, path, { name: 'Ada Demo', phones: [phone] });
});

const log = async () =>
  (await service.get<Page<Communication> & { unread_count: number }>(staff, `${path}/communications?limit=200`)).body;

const minute = (n: number) => `2026-03-01T12:${String(n).padStart(2, '0')}:00Z`;
const about = (
  target_external_id: string,
  kind: ProviderMessage['kind'],
  n: number,
  rest: Parameters<typeof said>[0] = {},
) => said({ kind, target_external_id, occurred_at: minute(n), ...rest, sender: { phone, ...rest.sender } });

test('reactions, edits and a withdrawal belong to their message, whether they come after it or before it', async () => {
  const message = said({ sender: { phone }, external_id: `m-${tests}` });
  const late = about(message.external_id, 'edit', 2, { body: 'Hello there' });
  const early = about(message.external_id, 'edit', 1, { body: 'Hello you' });
  const thumb = about(message.external_id, 'reaction', 3, { emoji: '👍' });
  await taken(service, late);
  await taken(service, message);
  await service.forgetEvents();
  await taken(service, early, thumb, about(message.external_id, 'withdrawal', 4, { body: '' }));
  const { data, unread_count } = await log();
  expect(unread_count).toBe(1);
  expect(data).toMatchObject([
    {
      body: 'Hello',
      reactions: [{ emoji: '👍', from: phone, at: '2026-03-01T12:03:00.000000Z' }],
      amendments: [{ body: 'Hello you' }, { body: 'Hello there' }, { body: null }],
    },
  ]);
  expect((await service.events()).map(({ data }) => [data.change, data.communication_id])).toEqual([
    ['amended', message.item_id],
  ]);
});

test('of one sender the newest reaction is shown, and none when that was taken back; others keep theirs', async () => {
  const message = said({ sender: { phone }, external_id: `m-${tests}` });
  const friend = { sender: { phone: '+447700900777' } };
  await taken(
    service,
    message,
    about(message.external_id, 'reaction', 5, { emoji: null }),
    about(message.external_id, 'reaction', 4, { emoji: '👍' }),
    about(message.external_id, 'reaction', 1, { emoji: '❤️', ...friend }),
  );
  expect((await log()).data).toMatchObject([{ reactions: [{ emoji: '❤️', from: '+447700900777' }] }]);
  await taken(service, about(message.external_id, 'reaction', 6, { emoji: '😀' }));
  expect((await log()).data).toMatchObject([{ reactions: [{ emoji: '❤️' }, { emoji: '😀', from: phone }] }]);
});

test('what we sent is reacted to, and edited or withdrawn by nobody outside', async () => {
  const record = { type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'Your permit' };
  const { body } = await service.post<Communication>(staff, `${path}/communications`, record);
  await service
    .db('communications')
    .where({ id: body.id })
    .update({ provider_message_id: `ours-${tests}` });
  await taken(
    service,
    about(`ours-${tests}`, 'reaction', 1, { emoji: '🙏' }),
    about(`ours-${tests}`, 'withdrawal', 2),
    about(`ours-${tests}`, 'edit', 2, { body: 'Your money' }),
  );
  expect((await log()).data).toMatchObject([{ reactions: [{ emoji: '🙏' }], amendments: [] }]);
});

test('a change of a message nobody could place is kept with it, and a channel changes its own messages alone', async () => {
  const stranger = said({ sender: { phone: `${phone}9` }, external_id: `m-${tests}` });
  await taken(service, stranger, about(stranger.external_id, 'reaction', 1, { emoji: '👍' }));
  await taken(service, about(stranger.external_id, 'edit', 2, { channel: 'SMS', body: 'Not this one' }));
  await service.post(staff, `/ops/unmatched/${stranger.item_id}/link`, { customer_id: `C-${tests}` });
  expect((await log()).data).toMatchObject([{ reactions: [{ emoji: '👍' }], amendments: [] }]);
});

test('a message whose words were removed takes no new ones', async () => {
  const message = said({ sender: { phone }, external_id: `m-${tests}` });
  await taken(service, message);
  await service.db('communications').where({ id: message.item_id }).update({ body: '', redacted_at: new Date() });
  await taken(service, about(message.external_id, 'edit', 1, { body: 'New words' }));
  expect((await log()).data).toMatchObject([{ amendments: [] }]);
});
