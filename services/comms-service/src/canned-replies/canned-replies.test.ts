import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Problem } from '@ops/contracts/problem';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { CannedReplies } from '@ops/contracts/resources/canned-reply';
import { admin, automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

type Answer = CannedReplies & Pick<Problem, 'errors'>;
const path = '/ops/canned-replies?scope=';
const read = async (who = staff, scope = 'own') => (await service.get<CannedReplies>(who, path + scope)).body;
const save = (replies: object[], { who = staff, scope = 'own', version = '' } = {}) =>
  service.put<Answer>(who, path + scope, { replies }, version ? { 'if-match': `"${version}"` } : {});

const none = { scope: 'own', replies: [], signature: null };
const hello = {
  title: 'Hello',
  body: 'Dear {{customer_name}}, {{ next_service }} is due on {{next_due_date}}. {{agent_name}}',
};
const thanks = { title: 'Thanks', body: 'Thank you.' };

test('each has their own, and everybody the shared ones', async () => {
  expect(await read()).toEqual({ ...none, version: 0, updated_at: null, updated_by: null });
  expect((await save([hello])).body).toMatchObject({ replies: [hello], version: 1, updated_by: staff.sub });
  await save([thanks], { scope: 'shared' });
  expect((await read()).replies).toEqual([hello]);
  expect((await read(admin)).replies).toEqual([]);
  expect((await read(admin, 'shared')).replies).toEqual([thanks]);
});

test('a signature is one’s own, stays where none is named, and goes where it is empty', async () => {
  const signature = 'Bob Agent\nThe Firm';
  const put = async (more: object, scope = 'own') =>
    service.put<Answer>(staff, path + scope, { replies: [hello], ...more });
  expect((await put({ signature })).body).toMatchObject({ signature });
  const { version } = await read();
  expect((await put({ signature })).body.version).toBe(version);
  expect((await put({})).body.signature).toBe(signature);
  expect((await read(admin)).signature).toBeNull();
  expect((await put({ signature: null })).body).toMatchObject({ signature: null, version: version + 1 });
  for (const [more, scope] of [
    [{ signature }, 'shared'],
    [{ signature: 'x'.repeat(2_001) }, 'own'],
    [{ signature: 'Bob of {{agent_name}}' }, 'own'],
  ] as const) {
    const { status, body } = await put(more, scope);
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'signature']);
  }
});

test('who began on an older list is told so, and the same again changes nothing', async () => {
  const { version } = await read();
  expect(await save([hello, thanks], { version: String(version) })).toMatchObject({ status: 200 });
  expect(await save([thanks], { version: String(version) })).toMatchObject({ status: 412 });
  expect((await save([hello, thanks])).body.version).toBe(version + 1);
});

test('of many who save the first ones at once, all over the same version, one does', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => save([{ title: `${n}`, body: 'x' }], { who: admin, version: '0' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(412)]);
});

test.each([
  [{ title: '', body: 'x' }, 'replies.0.title', /./],
  [{ title: 'x', body: '' }, 'replies.0.body', /./],
  [{ title: 'x', body: 'Dear {{name}}' }, 'replies.0.body', /^has a field that nobody fills: \{\{name\}\}$/],
])('%j is refused by its field', async (reply, field, words) => {
  const { status, body } = await save([reply]);
  expect({ status, path: body.errors?.[0]?.path }).toEqual({ status: 422, path: field });
  expect(body.errors?.[0]?.message).toMatch(words);
});

test('they are for staff, and who changed them is written down', async () => {
  for (const who of [automation, customer('C-1')])
    expect(await service.get(who, `${path}shared`)).toMatchObject({ status: 403 });
  const { body } = await service.get<Page<AuditEntry>>(staff, '/ops/canned-replies/history');
  expect(body.data).toMatchObject([{ actor: staff.sub, action: 'putCannedReplies', changes: [{ field: 'replies' }] }]);
  expect(await service.get(automation, '/ops/canned-replies/history')).toMatchObject({ status: 403 });
});
